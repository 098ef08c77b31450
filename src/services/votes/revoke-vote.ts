import type { AnchoringContext } from '../../anchoring/anchors.ts';
import { requireMayActFor, type Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isoText } from '../../domain/units/instant.ts';

import { revocationRefusal } from '../../domain/vote/vote.ts';
import { voteSummary, proposalSnapshot } from './ballots.ts';
import { recordEvent } from '../../store/events.ts';
import { shareFence } from '../../store/fences.ts';
import { lockStakesOfWallets, updateStakeUses } from '../../store/stake-uses.ts';
import { findVote, revokeVotes } from '../../store/votes.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVote } from '../proposals/read-proposals.ts';
import type { Anchored } from '../../http/transactions/response.ts';
import { publish } from '../publish.ts';
import { requireAction } from '../../domain/proposal/action-refusals.ts';

interface Wish {
  readonly voteId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Takes a live vote out of the count while voting is open and frees its power. Raises VOTE_NOT_FOUND,
 * INSUFFICIENT_PERMISSIONS, VOTE_ALREADY_REVOKED and VOTING_CLOSED.
 */
export async function revokeVote(
  work: AnchoringContext,
  { ids }: Pick<ServiceContext, 'ids'>,
  { voteId, caller, correlationId }: Wish,
): Promise<Anchored> {
  const { tx, now } = work;
  const { vote: found } = await requireReadableVote({ db: tx }, caller, voteId);
  const { proposalId, wallet } = found;
  const onBehalfOf = requireMayActFor(caller, wallet);
  await shareFence(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableVote({ db: tx }, caller, voteId);
  requireAction('revokeVote', proposalSnapshot(proposal, await voteSummary(tx, proposal)), now);
  const vaultId = vault.id;
  const stakes = await lockStakesOfWallets(tx, { vaultIds: [vaultId], wallets: [wallet] });
  // Whoever replaces or revokes a vote holds its wallet's stakes: from here on nobody else does.
  const vote = await findVote(tx, voteId);
  const refusal = revocationRefusal(vote?.status ?? null);
  if (!vote || refusal) throw new ServiceError(refusal ?? 'VOTE_NOT_FOUND');
  await revokeVotes(tx, [vote], now);
  await updateStakeUses(
    tx,
    stakes.map(({ id }) => id),
    now,
  );

  const fact = { kind: 'vote_revoked', voteId, proposalId, vaultId, wallet, revokedAt: isoText(now) };
  const factId = ids.next();
  const transactionHash = await work.anchor({ factId, vaultId, fact });
  const told = { vaultId, actor: wallet, transactionHash, correlationId, data: { voteId, proposalId } };
  await recordEvent({ tx, ids, now }, { type: 'VOTE_REVOKED', ...told });
  const deed = { action: 'VOTE_REVOKED', resource: { type: 'vote', id: voteId }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { proposalId, transactionHash } } });
  return { factId, transactionHash };
}
