import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { ServerContext } from '../../server/app.ts';
import { routeFor } from '../../server/route.ts';

/** Defines an operation on versions, announcements and feature flags, which need neither the ledger nor Temporal. */
export const route = routeFor<ServerContext & { readonly unitOfWork: UnitOfWork; readonly environment: string }>();
