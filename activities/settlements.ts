import { nextDelivery, nextRefund } from '../src/settlement/payments.ts';
import { prepareLiquidity, type SettlementContext, prepareMint } from '../src/settlement/mint.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import type { PreparationActivities } from '../src/platform/temporal/activity-types.ts';

/** The transactions of a settlement, each spending the one before (design D13c), and the refunds of a failed vault. */
export function createSettlementActivities(
  context: SettlementContext & Pick<WorkerContext, 'operatorBudget' | 'tokenLook'>,
): Omit<PreparationActivities, 'prepareCreation'> {
  return {
    prepareMint: (input) => prepareMint(context, input),
    nextDelivery: (input) => nextDelivery(context, input),
    prepareLiquidity: (input) => prepareLiquidity(context, input),
    nextRefund: (input) => nextRefund(context, input),
  };
}
