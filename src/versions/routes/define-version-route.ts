import type { UnitOfWork } from '../../platform/database/unit-of-work.ts';
import type { ServerContext } from '../../platform/http/app.ts';
import { routeFor } from '../../platform/http/route.ts';

/** Defines an operation on versions, announcements and feature flags, which need neither the ledger nor Temporal. */
export const route = routeFor<ServerContext & { readonly unitOfWork: UnitOfWork; readonly environment: string }>();
