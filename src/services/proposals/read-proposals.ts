import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { type AllowedProposalAction, allowedProposalActions } from '../../domain/proposal/allowed-actions.ts';
import type { ProposalStatus } from '../../domain/proposal/proposal.ts';

import { type AnchoredFactTransaction, factTransactions } from '../../store/anchor-facts.ts';
import { lastExecutions } from '../../store/proposal-executions.ts';
import { overdueProposals, type StatusFilter } from '../../store/vault-proposals.ts';
import { proposalVotingPowers, stakedPowers } from '../../store/voting-powers.ts';
import { findVote, type Vote } from '../../store/votes.ts';
import { liveVotes } from '../../store/proposal-votes.ts';
import { voteSummaries, type VoteSummary, proposalSnapshot } from '../votes/ballots.ts';
import { transactionsById } from '../../store/chain-transactions.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { endorsingPowers } from '../../store/endorsements.ts';
import { type Closing, findProposal, type Proposal } from '../../store/proposals.ts';
import { findVault, type Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import type { ShownExecution } from '../../http/executions/response.ts';
import { participationsOf, type ReadContext } from './participation.ts';
import { isReadable } from '../vaults/vault-access.ts';
import { type ProposalPhaseView, phaseAt } from '../../domain/proposal/phase-view.ts';

/** A proposal with everything a reader is told about it, as it is at `now`. */
export interface ProposalView {
  readonly proposal: Proposal;
  readonly vault: Vault;
  readonly view: ProposalPhaseView;
  readonly ballot: VoteSummary;
  /** Power of everyone behind it, as it opened the vote or as it is before; and of its proposer alone, as it is now. */
  readonly endorsed: BaseUnits;
  readonly proposerPower: BaseUnits;
  readonly closing: (Closing & { readonly transactionHash: string }) | null;
  /** The last one; null when nobody has tried. */
  readonly execution: ShownExecution | null;
  readonly allowedActions: readonly AllowedProposalAction[];
}

/** What a wallet has in a proposal. */
export interface OwnParticipation {
  readonly wallet: string;
  readonly vote: Vote | null;
  /** What is anchored of the vote. */
  readonly carried: AnchoredFactTransaction | undefined;
  readonly power: BaseUnits;
}

/** The proposal and its vault, unless they are kept from this caller; raises PROPOSAL_NOT_FOUND (design D8). */
export async function requireReadableProposal(
  context: Pick<ServiceContext, 'db'>,
  caller: Caller,
  proposalId: string,
): Promise<{ proposal: Proposal; vault: Vault }> {
  const proposal = await findProposal(context.db, proposalId);
  const vault = proposal && (await findVault(context.db, proposal.vaultId));
  if (!vault || !(await isReadable(context.db, caller, vault))) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return { proposal, vault };
}

/** Adds phases, tally and what the reader can do to proposals of one vault. */
export async function viewProposals(
  reading: ReadContext,
  vault: Vault,
  proposals: readonly Proposal[],
): Promise<ProposalView[]> {
  const { db, caller, now } = reading;
  const ballots = await voteSummaries(db, proposals);
  const closings = await closingsOf(db, proposals);
  const executions = await executionsOf(
    db,
    proposals.map(({ id }) => id),
  );
  const unopened = proposals.filter(({ openedWith }) => openedWith === null);
  const endorsing = await endorsingPowers(
    db,
    unopened.map(({ id }) => id),
    now,
  );
  const wallets = new Set(proposals.map(({ proposer }) => proposer).concat(caller.wallet ?? []));
  const staked = await stakedPowers(db, vault.id, [...wallets], now);
  const partOfReader = await participationsOf(reading, vault, proposals, staked);
  return proposals.map((proposal) => {
    const ballot = ballots.get(proposal.id);
    if (!ballot) throw new Error(`proposal ${proposal.id} has no ballot`);
    const facts = proposalSnapshot(proposal, ballot);
    const endorsed = proposal.openedWith ?? endorsing.get(proposal.id) ?? baseUnits(0n);
    const execution = executions.get(proposal.id) ?? null;
    const part = partOfReader({ proposal, endorsed, execution: execution && execution.execution });
    return {
      proposal,
      vault,
      view: phaseAt(facts, now),
      ballot,
      allowedActions: allowedProposalActions(facts, vault, part, now),
      endorsed,
      proposerPower: staked.get(proposal.proposer) ?? baseUnits(0n),
      closing: closings.get(proposal.id) ?? null,
      execution,
    };
  });
}

/** What it takes to find the proposals that are shown in a status at `now`. */
export async function statusFilterAt(
  db: Db,
  vaultId: string,
  status: ProposalStatus,
  now: Instant,
): Promise<StatusFilter> {
  const overdue = await overdueProposals(db, vaultId, now);
  const ballots = await voteSummaries(db, overdue);
  const shown = overdue.filter((one) => phaseAt(proposalSnapshot(one, ballots.get(one.id)), now).status === status);
  return { status, overdueIds: overdue.map(({ id }) => id), shownIds: shown.map(({ id }) => id) };
}

/** The last execution of each proposal with its transaction, by the proposal's id. */
async function executionsOf(
  db: Db | Transaction,
  proposalIds: readonly string[],
): Promise<Map<string, ShownExecution>> {
  const executions = await lastExecutions(db, proposalIds);
  const all = [...executions.values()];
  const transactions = await transactionsById(
    db,
    all.map(({ transactionId }) => transactionId),
  );
  const shown = all.map((execution) => {
    const transaction = transactions.get(execution.transactionId);
    if (!transaction) throw new Error(`execution ${execution.id} has no transaction`);
    return [execution.proposalId, { execution, transaction }] as const;
  });
  return new Map(shown);
}

/** The execution of a proposal that has one. */
export async function lastExecutionOf(db: Db | Transaction, proposalId: string): Promise<ShownExecution> {
  const shown = (await executionsOf(db, [proposalId])).get(proposalId);
  if (!shown) throw new Error(`proposal ${proposalId} has no execution`);
  return shown;
}

/** What is anchored of these proposals' closed votes, by proposal. */
async function closingsOf(db: Db | Transaction, proposals: readonly Proposal[]) {
  const closed = proposals.flatMap(({ id, closing }) => (closing ? [{ id, closing }] : []));
  const carried = await factTransactions(
    db,
    closed.map(({ closing }) => closing.factId),
  );
  return new Map(
    closed.map(({ id, closing }) => {
      const fact = carried.get(closing.factId);
      if (!fact) throw new Error(`the closing of proposal ${id} is not anchored`);
      return [id, { ...closing, transactionHash: fact.hash }];
    }),
  );
}

export async function viewProposal(
  reading: ReadContext,
  { proposal, vault }: { proposal: Proposal; vault: Vault },
): Promise<ProposalView> {
  const [shown] = await viewProposals(reading, vault, [proposal]);
  if (!shown) throw new Error(`proposal ${proposal.id} has no view`);
  return shown;
}

/** The caller's own vote and power; null for a key without a wallet. */
export async function ownParticipation(
  db: Db,
  proposal: Proposal,
  { wallet }: Caller,
): Promise<OwnParticipation | null> {
  return wallet === null ? null : walletParticipation(db, proposal, wallet);
}

/** The wallet's live vote and the power it could use; nobody has any before voting opens. */
export async function walletParticipation(db: Db, proposal: Proposal, wallet: string): Promise<OwnParticipation> {
  const { id } = proposal;
  const [vote] = await liveVotes(db, { proposalIds: [id], wallets: [wallet] });
  const power = (await proposalVotingPowers(db, [proposal], wallet)).get(id) ?? baseUnits(0n);
  const carried = vote && (await factTransactions(db, [vote.id])).get(vote.id);
  return { wallet, vote: vote ?? null, carried, power };
}

/** A vote and the proposal it is on; null when there is no such vote. */
export async function voteWithProposal(
  db: Db | Transaction,
  voteId: string,
): Promise<{ vote: Vote; proposal: Proposal } | null> {
  const vote = await findVote(db, voteId);
  const proposal = vote && (await findProposal(db, vote.proposalId));
  return proposal && { vote, proposal };
}

/** The vote with its proposal and vault, unless they are kept from this caller; raises VOTE_NOT_FOUND. */
export async function requireReadableVote(
  context: Pick<ServiceContext, 'db'>,
  caller: Caller,
  voteId: string,
): Promise<{ vote: Vote; proposal: Proposal; vault: Vault }> {
  const found = await voteWithProposal(context.db, voteId);
  const vault = found && (await findVault(context.db, found.proposal.vaultId));
  if (!vault || !(await isReadable(context.db, caller, vault))) throw new ServiceError('VOTE_NOT_FOUND');
  return { ...found, vault };
}
