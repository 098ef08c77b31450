import type { LoginContext } from '../../login.ts';
import type { ServerContext } from '../../../platform/http/app.ts';
import { routeFor } from '../../../platform/http/route.ts';

/** Defines an operation on sessions. Its context is smaller than the api's: a login needs neither the ledger nor Temporal. */
export const route = routeFor<ServerContext & LoginContext>();
