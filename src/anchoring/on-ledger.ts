import { setConfirmed } from './queries/anchor-batches.ts';
import { returnInputsToAnchorChain } from './queries/anchor-chains.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { confirmVotes, type VotesChanged } from '../votes/queries/votes.ts';
import type { TransactionEffects } from '../ledger-follower/effects/transaction-effects.ts';
import { publishAll } from '../events/publish.ts';

/** An anchor only confirms payloads that were committed with it; they hold without it (design §5). */
export const anchorEffects: TransactionEffects = {
  async confirmed(context, anchor) {
    await setConfirmed(context.tx, anchor.id, true);
    const changed = await confirmVotes(context, anchor.id, 'CONFIRMED');
    await publishVotes(context, 'VOTES_CONFIRMED', changed, anchor);
  },
  async rolledBack(context, anchor) {
    await setConfirmed(context.tx, anchor.id, false);
    const changed = await confirmVotes(context, anchor.id, 'CAST');
    await publishVotes(context, 'VOTES_ROLLED_BACK', changed, anchor);
  },
  ended: ({ tx }, { id }) => returnInputsToAnchorChain(tx, id),
};

/** Publishes one event for each proposal, however many of its votes the anchor carries. It names no wallets: there may be thousands. */
async function publishVotes(
  context: TransactionContext,
  type: EventTypeLike<'VOTES_CONFIRMED'>,
  changed: readonly VotesChanged[],
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const publications = changed.map(({ vaultId, ...data }) => ({
    event: { type, vaultId, actor: 'platform', transactionHash, correlationId, data },
  }));
  await publishAll(context, publications);
}
