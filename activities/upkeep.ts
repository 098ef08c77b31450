import { sweep, type SweepContext } from '../src/services/upkeep/sweep.ts';
import { refreshValuations } from '../src/services/valuation/refresh-valuations.ts';
import type { UpkeepActivities } from '../src/temporal/activity-types.ts';

/** The activities that Schedules run repeatedly. */
export function createUpkeepActivities(context: SweepContext): UpkeepActivities {
  return {
    sweep: async () => ({ sent: await sweep(context) }),
    refreshValuations: async () => ({ refreshed: await refreshValuations(context) }),
  };
}
