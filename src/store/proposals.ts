import { type Selectable, sql } from 'kysely';
import type { HoldingProposal } from '../domain/proposal/affected-assets.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type FailureReason, type ProposalStatus, proposalTransition } from '../domain/proposal/proposal.ts';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { ProposalEffect } from '../domain/proposal/effect.ts';
import type { PhaseDurations, ProposalPhases } from '../domain/proposal/phases.ts';
import type { GovernanceThresholds } from '../domain/vault/vault.ts';
import type { Db, Transaction } from './database.ts';
import type { ProposalsTable } from './tables/proposals.ts';
import {
  type FinalTally,
  readEffect,
  readFinalTally,
  readThresholds,
  storedTally,
  jsonWithAmountsAsText,
} from './stored-proposal.ts';

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
  /** What stood behind it when voting opened; null until then. */
  readonly openedWith: BaseUnits | null;
  /** Null until voting is closed. */
  readonly finalTally: FinalTally | null;
  /** Null until the closed vote is anchored. */
  readonly closing: Closing | null;
  /** Its execution was sent and can still land, or has landed. */
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

/** A proposal that has to be there; its absence is a bug of the caller. */
export async function getProposal(db: Db | Transaction, proposalId: string): Promise<Proposal> {
  return readProposal(
    await db.selectFrom('proposals').selectAll().where('id', '=', proposalId).executeTakeFirstOrThrow(),
  );
}

export async function proposalsById(db: Db | Transaction, ids: readonly string[]): Promise<Map<string, Proposal>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('proposals').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, readProposal(row)]));
}

/** Remembers that the workflow of an ended proposal has let go of its stakes. */
export async function setReleased(tx: Transaction, proposalId: string, now: Instant): Promise<void> {
  const values = { released_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposalId).execute();
}

/**
 * The other proposals of a vault that had passed and were not finished at an instant, whether or not a worker has seen that: what
 * they are about is taken (design D23). One that has ended since was still in the way when its own vote was over by then.
 */
export async function passedProposals(
  db: Db | Transaction,
  { id, vaultId }: Pick<Proposal, 'id' | 'vaultId'>,
  at: Instant,
): Promise<HoldingProposal[]> {
  const then = new Date(at);
  const endedSince = sql<boolean>`ended_at > ${then} and (voting_ends_at, id) < (${then}, ${id}::uuid)
    and (status = 'EXECUTED' or failure_reason in ('cancelled', 'execution_window_elapsed', 'execution_failed'))`;
  const rows = await db
    .selectFrom('proposals')
    .select(['id', 'asset_ids'])
    .where('vault_id', '=', vaultId)
    .where('id', '!=', id)
    .where((query) => query.or([query('execution_ends_at', '>', then), query('execution_sent', '=', true)]))
    .where((query) => query.or([query('status', '=', 'PASSED'), endedSince]))
    .execute();
  return rows.map((row) => ({ id: row.id, assetIds: row.asset_ids }));
}

/**
 * The other proposals over assets of a vault that nobody has counted and whose votes end before this one's, in the order in which
 * they end: each may take an asset from those after it.
 */
export async function uncountedBefore(
  db: Db | Transaction,
  { id, vaultId, status, phases, effect }: Proposal,
): Promise<Proposal[]> {
  if (status !== 'ACTIVE' || phases === null || effect.assetIds.length === 0) return [];
  const rows = await db
    .selectFrom('proposals')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'ACTIVE')
    .where(sql<boolean>`(voting_ends_at, id) < (${new Date(phases.voting.endsAt)}, ${id}::uuid)`)
    .where(sql<boolean>`cardinality(asset_ids) > 0`)
    .orderBy('voting_ends_at')
    .orderBy('id')
    .execute();
  return rows.map(readProposal);
}

/** Opens the vote of a draft: its phases are fixed from here on. */
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

/** Keeps what the closed vote came to. */
export async function setFinalTally(tx: Transaction, proposalId: string, tally: FinalTally): Promise<void> {
  await tx
    .updateTable('proposals')
    .set({ final_tally: storedTally(tally) })
    .where('id', '=', proposalId)
    .execute();
}

/** Keeps what is anchored of a closed vote; false when something already is. */
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

export async function passProposal(tx: Transaction, proposal: Proposal, now: Instant): Promise<void> {
  const status = proposalTransition(proposal.status, 'PASSED');
  const values = { status, updated_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

export async function failProposal(
  tx: Transaction,
  proposal: Proposal,
  reason: FailureReason,
  now: Instant,
): Promise<void> {
  const at = new Date(now);
  const status = proposalTransition(proposal.status, 'FAILED');
  const values = { status, failure_reason: reason, ended_at: at, updated_at: at };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

/** As `getProposal`, and keeps everyone else from changing it until the transaction ends. */
export async function lockProposal(tx: Transaction, proposalId: string): Promise<Proposal> {
  const query = tx.selectFrom('proposals').selectAll().where('id', '=', proposalId);
  return readProposal(await query.forUpdate().executeTakeFirstOrThrow());
}

/** Remembers whether an execution can still land: the execution phase waits for it. */
export async function setExecutionSent(
  tx: Transaction,
  proposalId: string,
  sent: boolean,
  now: Instant,
): Promise<void> {
  const values = { execution_sent: sent, updated_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposalId).execute();
}

/** Moves a proposal to EXECUTED, or back to PASSED when its execution was rolled back; throws INVALID_TRANSITION. */
export async function moveExecuted(
  tx: Transaction,
  proposal: Proposal,
  to: 'EXECUTED' | 'PASSED',
  now: Instant,
): Promise<void> {
  const at = new Date(now);
  const status = proposalTransition(proposal.status, to, to === 'EXECUTED' ? 'forward' : 'rollback');
  const values = { status, ended_at: to === 'EXECUTED' ? at : null, updated_at: at };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

export function readProposal(row: Selectable<ProposalsTable>): Proposal {
  return {
    id: row.id,
    vaultId: row.vault_id,
    proposer: row.proposer,
    title: row.title,
    description: row.description,
    effect: readEffect(row),
    thresholds: readThresholds(row.thresholds),
    durations: { voting: row.voting_seconds, lock: row.lock_seconds, execution: row.execution_seconds },
    requiredCosigners: row.required_cosigners,
    status: row.status as ProposalStatus,
    failureReason: row.failure_reason as FailureReason | null,
    draftExpiresAt: instant(row.draft_expires_at),
    phases: readPhases(row),
    openedWith: row.opened_with === null ? null : baseUnits(BigInt(row.opened_with)),
    finalTally: row.final_tally === null ? null : readFinalTally(row.final_tally),
    closing: row.closing_fact_id === null ? null : { factId: row.closing_fact_id, votesRoot: row.votes_root },
    executionSent: row.execution_sent,
    endedAt: row.ended_at === null ? null : instant(row.ended_at),
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
  };
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
