import { Context } from '@temporalio/activity';
import { sweep } from '../src/operations/upkeep.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import { refreshValuations } from '../src/prices/valuations.ts';
import type { UpkeepActivities } from '../src/platform/temporal/activity-types.ts';

/** The activities that Schedules run repeatedly. */
export function createUpkeepActivities(context: WorkerContext): UpkeepActivities {
  return {
    sweep: async () => ({ sent: await sweep(context) }),
    async refreshValuations({ from }) {
      const { next, refreshed, failures } = await refreshValuations(context, from);
      for (const error of failures) Context.current().log.warn('a price or a valuation could not be stored', { error });
      return { refreshed, failed: failures.length, next };
    },
  };
}
