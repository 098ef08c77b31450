import { returnInputsToLane } from '../../store/anchor-lanes.ts';
import { setLanded } from '../../store/anchor-batches.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Consequences } from './consequences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvents } from '../../store/events.ts';
import { confirmVotes, type VotesChanged } from '../../store/votes.ts';

/** An anchor changes only what is known of its facts, which stand since they were committed (design §5). */
export const anchorConsequences: Consequences = {
  async confirmed(scene, anchor) {
    await setLanded(scene.tx, anchor.id, true);
    const changed = await confirmVotes(scene.tx, anchor.id, 'CONFIRMED', scene.now);
    await tellVotes(scene, 'VOTES_CONFIRMED', changed, anchor);
  },
  async rolledBack(scene, anchor) {
    await setLanded(scene.tx, anchor.id, false);
    const changed = await confirmVotes(scene.tx, anchor.id, 'CAST', scene.now);
    await tellVotes(scene, 'VOTES_ROLLED_BACK', changed, anchor);
  },
  ended: ({ tx }, { id }) => returnInputsToLane(tx, id),
};

/** One event for each proposal, however many votes on it the anchor carries. */
async function tellVotes(
  context: TransactionContext,
  type: EventType,
  changed: readonly VotesChanged[],
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const events = changed.map(({ vaultId, ...data }) => {
    return { type, vaultId, actor: 'platform', transactionHash, correlationId, data };
  });
  if (events.length > 0) await recordEvents(context, events);
}
