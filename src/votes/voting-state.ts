import { ServiceError } from '../platform/errors.ts';
import { requireAction } from '../proposals/rules/allowed-actions.ts';
import type { Instant } from '../platform/units/time.ts';
import { decodeRows, UnreadableRow } from '../platform/database/decode-rows.ts';
import { type LiveVote, liveVotes } from '../proposals/queries/proposal-votes.ts';
import { type Proposal, proposalRows, readProposal } from '../proposals/queries/proposals.ts';
import { lockStakesOfWallets } from './queries/voting-powers.ts';
import type { StakeRow } from '../staking/queries/stakes.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { type UsedNonce, usedNonces } from './queries/votes.ts';
import type { VoteInput } from './vote-input.ts';
import { proposalSnapshot, voteSummaries, type VoteSummary } from './read-votes.ts';

/** Everything that decides whether votes are accepted, as it is in this unit of work. */
export interface VotingState {
  /** By id; a ServiceError where voting is not open. */
  readonly proposals: ReadonlyMap<string, Proposal | ServiceError>;
  /** The stakes of all voters, locked. */
  readonly stakes: readonly StakeRow[];
  /** By `voteKey` of vault and wallet. */
  readonly stakesByVoter: ReadonlyMap<string, readonly StakeRow[]>;
  readonly liveVotes: readonly LiveVote[];
  readonly nonces: readonly UsedNonce[];
}

/** Locks the stakes of these votes and reads what decides about them. The batch has shared locks of their proposals (`voteLocks`). */
export async function loadVotingState(
  { tx, now }: TransactionContext,
  inputs: readonly VoteInput[],
): Promise<VotingState> {
  const proposalIds = [...new Set(inputs.map(({ proposalId }) => proposalId))].sort();
  const proposals = new Map<string, Proposal | ServiceError>();
  const refuse = (error: UnreadableRow, { id }: Pick<Proposal, 'id'>) => proposals.set(id, refusalOf(error));
  const found = decodeRows(await proposalRows(tx, proposalIds), readProposal, refuse);
  const overdue = found.filter(({ phases }) => phases !== null && phases.voting.endsAt <= now);
  const summaries = await voteSummaries(tx, overdue, { onBad: refuse });
  for (const proposal of found.filter(({ id }) => !proposals.has(id)))
    proposals.set(proposal.id, openOrRefusal(proposal, summaries.get(proposal.id), now));

  const vaultIds = [...new Set(inputs.map(({ vaultId }) => vaultId))];
  const wallets = [...new Set(inputs.map(({ voter }) => voter.address))];
  const stakes = await lockStakesOfWallets(tx, { vaultIds, wallets });
  const stakesByVoter = Map.groupBy(stakes, (stake) => voteKey(stake.vault_id, stake.wallet));
  const live = await liveVotes(tx, { proposalIds, wallets });
  const nonces = inputs.flatMap(({ proposalId, voter, signed }) =>
    signed ? [{ proposalId, wallet: voter.address, nonce: signed.nonce }] : [],
  );
  return { proposals, stakes, stakesByVoter, liveVotes: live, nonces: await usedNonces(tx, nonces) };
}

function openOrRefusal(proposal: Proposal, summary: VoteSummary | undefined, now: Instant): Proposal | ServiceError {
  try {
    requireAction('vote', proposalSnapshot(proposal, summary), now);
    return proposal;
  } catch (error) {
    return refusalOf(error);
  }
}

/** The error with which a vote is refused; what cannot be read refuses no vote that does not depend on it. Throws all other errors. */
export function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof UnreadableRow) return new ServiceError('SYSTEM_ERROR', undefined, { cause: error });
  throw error;
}

/** A map key made of ids and wallets. */
export function voteKey(...parts: readonly string[]): string {
  return parts.join(' ');
}
