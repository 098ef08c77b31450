import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Caller, requireMayActFor } from '../access/rules.ts';
import { requireAction } from '../proposals/rules/allowed-actions.ts';
import { isoText } from '../platform/units/time.ts';
import { revocationRefusal } from './rules.ts';
import { lockShared } from '../platform/database/locks.ts';
import { lockStakesOfWallets, updateStakeUses } from './queries/voting-powers.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { findVote, revokeVotes, type Vote } from './queries/votes.ts';
import type { AnchoredActionQuota } from '../context.ts';
import { countAnchoredAction } from '../proposals/create-proposal.ts';
import { publishAction } from '../events/publish.ts';
import { requireReadableVote, proposalSnapshot, voteSummary } from './read-votes.ts';

interface VoteRevocation {
  readonly voteId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Revokes a live vote while voting is open, which frees its power. */
export async function revokeVote(
  context: AnchoringContext,
  limit: AnchoredActionQuota,
  { voteId, caller, correlationId }: VoteRevocation,
): Promise<AnchoredChange> {
  const { tx, ids, now } = context;
  const { vote: found } = await requireReadableVote(tx, caller, voteId);
  const { proposalId, wallet } = found;
  const onBehalfOf = requireMayActFor(caller, wallet);
  await lockShared(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableVote(tx, caller, voteId);
  requireAction('revokeVote', proposalSnapshot(proposal, await voteSummary(tx, proposal)), now);
  const vaultId = vault.id;
  await revokeLocked(context, { ...found, vaultId });
  await countAnchoredAction(context, limit, { wallet, kind: 'vote_change' });

  const fact = { kind: 'vote_revoked', voteId, proposalId, vaultId, wallet, revokedAt: isoText(now) };
  const factId = ids.next();
  const transactionHash = await context.anchor({ factId, vaultId, fact });
  await publishAction(context, {
    action: 'VOTE_REVOKED',
    vaultId,
    actor: wallet,
    transactionHash,
    eventData: { voteId, proposalId },
    resource: { type: 'vote', id: voteId },
    metadata: { proposalId, transactionHash },
    caller,
    onBehalfOf,
    correlationId,
  });
  return { factId, transactionHash };
}

/** Every change of a vote locks its wallet's stakes first, so the status read here cannot change any more. */
async function revokeLocked(
  context: TransactionContext,
  { id, vaultId, wallet }: Pick<Vote, 'id' | 'wallet'> & { readonly vaultId: string },
): Promise<void> {
  const { tx } = context;
  const stakes = await lockStakesOfWallets(tx, { vaultIds: [vaultId], wallets: [wallet] });
  const vote = await findVote(tx, id);
  const refusal = revocationRefusal(vote?.status ?? null);
  if (!vote || refusal) throw new ServiceError(refusal ?? 'VOTE_NOT_FOUND');
  await revokeVotes(context, [vote]);
  const stakeIds = stakes.map((stake) => stake.id);
  await updateStakeUses(context, stakeIds);
}
