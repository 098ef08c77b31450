import { claimRoute } from './claim.ts';
import { listClaimsRoute } from './list-claims.ts';
import { readClaimRoute } from './read-claim.ts';

/** The operations on claims, in the order of the OpenAPI document. */
export const claimRoutes = [claimRoute, listClaimsRoute, readClaimRoute];
