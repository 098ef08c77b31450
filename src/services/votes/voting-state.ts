import { ServiceError } from '../../domain/errors.ts';
import { requireAction } from '../../domain/proposal/action-refusals.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { shareFence } from '../../store/fences.ts';
import { liveVotes } from '../../store/proposal-votes.ts';
import { type Proposal, proposalsById } from '../../store/proposals.ts';
import { lockStakesOfWallets } from '../../store/stake-uses.ts';
import type { Stake } from '../../store/stakes.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { type UsedNonce, usedNonces, type Vote } from '../../store/votes.ts';
import type { VoteInput } from './vote-input.ts';
import { proposalSnapshot, voteSummaries, type VoteSummary } from './vote-summaries.ts';

/** Everything that decides whether votes are accepted, as it is in this unit of work. */
export interface VotingState {
  /** By id; a ServiceError where voting is not open. */
  readonly proposals: ReadonlyMap<string, Proposal | ServiceError>;
  /** The stakes of all voters, locked. */
  readonly stakes: readonly Stake[];
  /** By `voteKey` of vault and wallet. */
  readonly stakesByVoter: ReadonlyMap<string, readonly Stake[]>;
  readonly liveVotes: readonly Vote[];
  readonly nonces: readonly UsedNonce[];
}

/** Locks the proposals and stakes of these votes and reads what decides about them. */
export async function loadVotingState(
  { tx, now }: TransactionContext,
  inputs: readonly VoteInput[],
): Promise<VotingState> {
  const proposalIds = [...new Set(inputs.map(({ proposalId }) => proposalId))].sort();
  for (const proposalId of proposalIds) await shareFence(tx, `proposal:${proposalId}`);
  const found = await proposalsById(tx, proposalIds);
  const overdue = [...found.values()].filter(({ phases }) => phases !== null && phases.voting.endsAt <= now);
  const summaries = overdue.length === 0 ? null : await voteSummaries(tx, overdue);
  const proposals = new Map<string, Proposal | ServiceError>();
  for (const proposal of found.values()) {
    proposals.set(proposal.id, openOrRefusal(proposal, summaries?.get(proposal.id), now));
  }

  const vaultIds = [...new Set(inputs.map(({ vaultId }) => vaultId))];
  const wallets = [...new Set(inputs.map(({ voter }) => voter.address))];
  const stakes = await lockStakesOfWallets(tx, { vaultIds, wallets });
  const stakesByVoter = Map.groupBy(stakes, ({ vaultId, wallet }) => voteKey(vaultId, wallet));
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
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** A map key made of ids and wallets. */
export function voteKey(...parts: readonly string[]): string {
  return parts.join(' ');
}
