import type { LoginContext } from '../../auth/login.ts';
import type { RouteResponse } from '../server/route-response.ts';
import type { ServerContext } from '../server/app.ts';
import { routeFor } from '../server/route.ts';

/** Defines an operation on sessions. Its context is smaller than the api's: a login needs neither the ledger nor Temporal. */
export const route = routeFor<ServerContext & LoginContext>();

/** Keeps a secret that only the caller may know out of caches. */
export function noStore<A extends RouteResponse>(response: A): A {
  return { ...response, headers: { 'Cache-Control': 'no-store' } };
}
