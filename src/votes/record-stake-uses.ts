import { ServiceError } from '../platform/errors/errors.ts';
import { addStakeUses, type StakeUsed, updateStakeUses } from './queries/stake-uses.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { AcceptedVote } from './vote-input.ts';
import type { VotingState } from './voting-state.ts';

/** Computes anew what the wallets use that replace a vote; what the others use is added, which is cheaper. */
export async function recordStakeUses(
  context: TransactionContext,
  { proposals, stakes }: VotingState,
  accepted: readonly AcceptedVote[],
): Promise<void> {
  const replacing = new Set(accepted.flatMap(({ vote, replaces }) => (replaces === null ? [] : [vote.wallet])));
  const added = accepted.flatMap(({ vote: { wallet, proposalId, uses } }): StakeUsed[] => {
    const proposal = proposals.get(proposalId);
    if (replacing.has(wallet) || !proposal || proposal instanceof ServiceError || !proposal.phases) return [];
    const until = proposal.phases.execution.endsAt;
    return uses.map((use) => ({ ...use, until }));
  });
  if (added.length > 0) await addStakeUses(context, added);
  const changed = stakes.filter(({ wallet }) => replacing.has(wallet)).map(({ id }) => id);
  if (changed.length > 0) await updateStakeUses(context, changed);
}
