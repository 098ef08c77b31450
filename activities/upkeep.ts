import { sweep } from '../src/services/upkeep/sweep.ts';
import { refreshValuations } from '../src/services/valuation/refresh-valuations.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { UpkeepActivities } from '../src/temporal/activities.ts';

type Context = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'readingTime'
  | 'priceSource'
  | 'durationBounds'
  | 'keys'
  | 'outboxRelay'
  | 'ledger'
  | 'networkState'
>;

/** What Schedules run again and again. */
export function createUpkeepActivities(context: Context): UpkeepActivities {
  return {
    sweep: async () => ({ sent: await sweep(context) }),
    refreshValuations: async () => ({ refreshed: await refreshValuations(context) }),
  };
}
