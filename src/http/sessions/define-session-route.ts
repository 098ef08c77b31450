import type { LoginContext } from '../../auth/login.ts';
import type { ServerContext } from '../../server/app.ts';
import { routeFor } from '../../server/route.ts';

/** Defines an operation on sessions. Its context is smaller than the api's: a login needs neither the ledger nor Temporal. */
export const route = routeFor<ServerContext & LoginContext>();
