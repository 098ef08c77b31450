import { nextDelivery } from '../src/services/settlements/next-delivery.ts';
import { nextRefund } from '../src/services/settlements/next-refund.ts';
import { prepareLiquidity, type SettlementContext } from '../src/services/settlements/prepare-liquidity.ts';
import { prepareMint } from '../src/services/settlements/prepare-mint.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { NextBatch, PreparationActivities, Prepared } from '../src/temporal/activity-types.ts';

/** The transactions of a settlement, each spending the one before (design D13c), and the refunds of a failed vault. */
export function createSettlementActivities(
  context: SettlementContext & Pick<WorkerContext, 'operatorBudget' | 'tokenLook'>,
): Omit<PreparationActivities, 'prepareCreation'> {
  return {
    prepareMint: (input) => prepareMint(context, input),
    nextDelivery: ({ vaultId, now }) => nextDelivery(context, { vaultId, now }),
    prepareDelivery: async (input) => preparedOf(await nextDelivery(context, { ...input, inFlight: 1 })),
    prepareLiquidity: (input) => prepareLiquidity(context, input),
    nextRefund: ({ vaultId, now }) => nextRefund(context, { vaultId, now }),
    prepareRefund: async (input) => preparedOf(await nextRefund(context, { ...input, inFlight: 1 })),
  };
}

function preparedOf(batch: NextBatch): Prepared | null {
  return batch.kind === 'done' ? null : { transactionId: batch.transactionId };
}
