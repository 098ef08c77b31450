import { prepareDelivery } from '../src/services/settlements/prepare-delivery.ts';
import { prepareLiquidity, type SettlementContext } from '../src/services/settlements/prepare-liquidity.ts';
import { prepareMint } from '../src/services/settlements/prepare-mint.ts';
import { prepareRefund } from '../src/services/settlements/prepare-refund.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { PreparationActivities } from '../src/temporal/activity-types.ts';

/** The transactions of a settlement, each spending the one before (design D13c), and the refunds of a failed vault. */
export function createSettlementActivities(
  context: SettlementContext & Pick<WorkerContext, 'tokenLook'>,
): Omit<PreparationActivities, 'prepareCreation'> {
  return {
    prepareMint: (input) => prepareMint(context, input),
    prepareDelivery: (input) => prepareDelivery(context, input),
    prepareLiquidity: (input) => prepareLiquidity(context, input),
    prepareRefund: (input) => prepareRefund(context, input),
  };
}
