import { listStakesRoute } from './list-stakes.ts';
import { readStakeRoute } from './read-stake.ts';
import { stakeRoute } from './stake.ts';
import { unstakeRoute } from './unstake.ts';

/** The operations on stakes, in the order of the OpenAPI document. */
export const stakeRoutes = [stakeRoute, listStakesRoute, readStakeRoute, unstakeRoute];
