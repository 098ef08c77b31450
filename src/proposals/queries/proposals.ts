import type { Selectable } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import { jsonWithAmountsAsText } from '../../platform/database/stored-json.ts';
import type { AmountTexts } from '../../platform/database/tables/platform.ts';
import type { ProposalsTable, StoredTally, StoredTerms } from '../../platform/database/tables/governance.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';
import type { ProposalEffect } from '../rules/effects.ts';
import type { PhaseDurations, ProposalPhases } from '../rules/phases.ts';
import { type FailureReason, type ProposalStatus, type ProposalType, proposalTransition } from '../rules/proposal.ts';
import type { GovernanceThresholds } from '../../vaults/rules/vault.ts';
import type { Tally } from '../../votes/rules.ts';

export interface Proposal {
  readonly id: string;
  readonly vaultId: string;
  /** Wallet. */
  readonly proposer: string;
  readonly title: string;
  readonly description: string;
  readonly effect: ProposalEffect;
  readonly thresholds: GovernanceThresholds;
  readonly durations: PhaseDurations;
  readonly requiredCosigners: number;
  readonly status: ProposalStatus;
  readonly failureReason: FailureReason | null;
  readonly draftExpiresAt: Instant;
  /** Null until voting opens. */
  readonly phases: ProposalPhases | null;
  /** The endorsing power when voting opened; null until then. */
  readonly openedWith: BaseUnits | null;
  /** Null until voting is closed. */
  readonly finalTally: FinalTally | null;
  /** Null until the closed vote is anchored. */
  readonly closing: Closing | null;
  /** Its execution was submitted and is on the ledger, or can still reach it. */
  readonly executionSent: boolean;
  readonly endedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What is anchored of a closed vote. */
export interface Closing {
  readonly factId: string;
  /** Over the leaves of its live votes, in hex; null when there are none. */
  readonly votesRoot: string | null;
}

export type NewProposal = Omit<
  Proposal,
  | 'status'
  | 'failureReason'
  | 'phases'
  | 'openedWith'
  | 'finalTally'
  | 'closing'
  | 'executionSent'
  | 'endedAt'
  | 'updatedAt'
>;

export async function insertProposal(tx: Transaction, proposal: NewProposal): Promise<void> {
  const { effect, durations } = proposal;
  await tx
    .insertInto('proposals')
    .values({
      id: proposal.id,
      vault_id: proposal.vaultId,
      proposer: proposal.proposer,
      title: proposal.title,
      description: proposal.description,
      type: effect.type,
      asset_ids: [...effect.assetIds],
      terms: jsonWithAmountsAsText(effect.terms),
      thresholds: jsonWithAmountsAsText(proposal.thresholds),
      voting_seconds: durations.voting,
      lock_seconds: durations.lock,
      execution_seconds: durations.execution,
      required_cosigners: proposal.requiredCosigners,
      status: 'DRAFT',
      failure_reason: null,
      draft_expires_at: new Date(proposal.draftExpiresAt),
      created_at: new Date(proposal.createdAt),
      updated_at: new Date(proposal.createdAt),
    })
    .execute();
}

export async function findProposal(db: Db | Transaction, proposalId: string): Promise<Proposal | null> {
  const row = await db.selectFrom('proposals').selectAll().where('id', '=', proposalId).executeTakeFirst();
  return row ? readProposal(row) : null;
}

/** Throws when there is no such proposal, and UnreadableRow. */
export async function getProposal(db: Db | Transaction, proposalId: string): Promise<Proposal> {
  return readProposal(
    await db.selectFrom('proposals').selectAll().where('id', '=', proposalId).executeTakeFirstOrThrow(),
  );
}

/** The rows of proposals by their ids. */
export async function proposalRows(db: Db | Transaction, ids: readonly string[]): Promise<ProposalRow[]> {
  return ids.length === 0 ? [] : db.selectFrom('proposals').selectAll().where('id', 'in', ids).execute();
}

/** What the end of a proposal depends on, which every row says. */
type ProposalHead = Pick<Proposal, 'id' | 'vaultId' | 'proposer' | 'status' | 'executionSent'>;

export function headOfProposal(row: ProposalRow): ProposalHead {
  const { id, vault_id: vaultId, proposer, status, execution_sent: executionSent } = row;
  return { id, vaultId, proposer, status, executionSent };
}

/** As `getProposal`, and locks the row until the transaction ends. */
export async function lockProposal(tx: Transaction, proposalId: string): Promise<Proposal> {
  const query = tx.selectFrom('proposals').selectAll().where('id', '=', proposalId);
  return readProposal(await query.forUpdate().executeTakeFirstOrThrow());
}

export type ProposalRow = Selectable<ProposalsTable>;

/** Reads a row of this table. */
export function readProposal(row: ProposalRow): Proposal {
  return decodeRow('proposals', row.id, () => ({
    id: row.id,
    vaultId: row.vault_id,
    proposer: row.proposer,
    title: row.title,
    description: row.description,
    effect: readEffect(row),
    thresholds: readThresholds(row.thresholds),
    durations: { voting: row.voting_seconds, lock: row.lock_seconds, execution: row.execution_seconds },
    requiredCosigners: row.required_cosigners,
    status: row.status,
    failureReason: row.failure_reason,
    draftExpiresAt: instant(row.draft_expires_at),
    phases: readPhases(row),
    openedWith: row.opened_with === null ? null : baseUnits(BigInt(row.opened_with)),
    finalTally: row.final_tally === null ? null : readFinalTally(row.final_tally),
    closing: row.closing_fact_id === null ? null : { factId: row.closing_fact_id, votesRoot: row.votes_root },
    executionSent: row.execution_sent,
    endedAt: row.ended_at === null ? null : instant(row.ended_at),
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  }));
}

function readPhases(row: Selectable<ProposalsTable>): ProposalPhases | null {
  const { voting_starts_at: opens, voting_ends_at: closes, lock_ends_at: unlocks, execution_ends_at: ends } = row;
  if (opens === null || closes === null || unlocks === null || ends === null) return null;
  return {
    voting: { startsAt: instant(opens), endsAt: instant(closes) },
    lock: { startsAt: instant(closes), endsAt: instant(unlocks) },
    execution: { startsAt: instant(unlocks), endsAt: instant(ends) },
  };
}

/** The sums of the votes when voting closed, the power that could have voted, and the tokens that holders had. */
export interface FinalTally extends Tally {
  readonly quorumBase: BaseUnits;
  readonly circulating: BaseUnits;
}

function storedTally({ approve, reject, uniqueVoters: voters, quorumBase, circulating }: FinalTally): string {
  return jsonWithAmountsAsText({ approve, reject, voters, quorumBase, circulating });
}

function readFinalTally({ quorumBase, circulating, ...sums }: StoredTally): FinalTally {
  return {
    ...readTally(sums),
    quorumBase: baseUnits(BigInt(quorumBase)),
    circulating: baseUnits(BigInt(circulating)),
  };
}

export function readTally(sums: Omit<StoredTally, 'quorumBase' | 'circulating'>): Tally {
  const [approve, reject] = [BigInt(sums.approve), BigInt(sums.reject)];
  return {
    approve: baseUnits(approve),
    reject: baseUnits(reject),
    totalVoted: baseUnits(approve + reject),
    uniqueVoters: Number(sums.voters),
  };
}

export function readThresholds(stored: AmountTexts<keyof GovernanceThresholds>): GovernanceThresholds {
  const points = (name: keyof GovernanceThresholds) => basisPoints(BigInt(stored[name]));
  return {
    creation: points('creation'),
    start: points('start'),
    vote: points('vote'),
    execution: points('execution'),
    cosigning: points('cosigning'),
  };
}

/** Reads an effect from its columns; amounts become bigint again. */
export function readEffect(row: {
  type: ProposalType;
  asset_ids: readonly string[];
  terms: StoredTerms;
}): ProposalEffect {
  const stored = row.terms;
  const { price, quantity } = stored;
  const terms = {
    ...stored,
    ...(price !== undefined && { price: price === null ? null : lovelace(BigInt(price)) }),
    ...(typeof quantity === 'string' && { quantity: baseUnits(BigInt(quantity)) }),
  };
  return { type: row.type, assetIds: row.asset_ids, terms } as ProposalEffect;
}

/** Records that the workflow of an ended proposal has released its stakes. */
export async function setStakesReleased({ tx, now }: TransactionContext, proposalId: string): Promise<void> {
  const values = { released_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposalId).execute();
}

/** Takes back that the stakes of a proposal were released; returns false when they were not. */
export async function takeBackRelease({ tx }: TransactionContext, proposalId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('proposals')
    .set({ released_at: null })
    .where('id', '=', proposalId)
    .where('released_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Opens voting on a draft and fixes its phases. */
export async function openVoting(
  tx: Transaction,
  proposal: Proposal,
  { voting, lock, execution }: ProposalPhases,
  openedWith: BaseUnits,
): Promise<void> {
  await tx
    .updateTable('proposals')
    .set({
      status: proposalTransition(proposal.status, 'ACTIVE'),
      opened_with: openedWith,
      voting_starts_at: new Date(voting.startsAt),
      voting_ends_at: new Date(voting.endsAt),
      lock_ends_at: new Date(lock.endsAt),
      execution_ends_at: new Date(execution.endsAt),
      updated_at: new Date(voting.startsAt),
    })
    .where('id', '=', proposal.id)
    .execute();
}

/** Stores the tally of the closed vote. */
export async function setFinalTally(tx: Transaction, proposalId: string, tally: FinalTally): Promise<void> {
  await tx
    .updateTable('proposals')
    .set({ final_tally: storedTally(tally) })
    .where('id', '=', proposalId)
    .execute();
}

/** Stores what is anchored of a closed vote; returns false when it was stored before. */
export async function setClosing(
  tx: Transaction,
  proposalId: string,
  { factId, votesRoot }: Closing,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('proposals')
    .set({ closing_fact_id: factId, votes_root: votesRoot })
    .where('id', '=', proposalId)
    .where('closing_fact_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Moves a proposal to PASSED, with the number of cosigners that its execution needs. */
export async function passProposal(
  { tx, now }: TransactionContext,
  proposal: Proposal,
  requiredCosigners: number,
): Promise<void> {
  const status = proposalTransition(proposal.status, 'PASSED');
  const values = { status, required_cosigners: requiredCosigners, updated_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

export async function failProposal(
  { tx, now }: TransactionContext,
  proposal: Pick<Proposal, 'id' | 'status'>,
  reason: FailureReason,
): Promise<void> {
  const at = new Date(now);
  const status = proposalTransition(proposal.status, 'FAILED');
  const values = { status, failure_reason: reason, ended_at: at, updated_at: at };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

/** Records whether an execution can still reach the ledger: the execution phase waits for it. */
export async function setExecutionSent(
  { tx, now }: TransactionContext,
  proposalId: string,
  sent: boolean,
): Promise<void> {
  const values = { execution_sent: sent, updated_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposalId).execute();
}

/** Moves a proposal to EXECUTED, or back to PASSED when its execution was rolled back. */
export async function setExecuted(
  { tx, now }: TransactionContext,
  proposal: Proposal,
  to: 'EXECUTED' | 'PASSED',
): Promise<void> {
  const at = new Date(now);
  const status = proposalTransition(proposal.status, to, to === 'EXECUTED' ? 'forward' : 'rollback');
  const values = { status, ended_at: to === 'EXECUTED' ? at : null, updated_at: at };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}
