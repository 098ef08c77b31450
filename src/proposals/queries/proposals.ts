import type { Selectable } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { FailureReason, ProposalStatus } from '../rules/proposal.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { ProposalEffect } from '../rules/effect.ts';
import type { PhaseDurations, ProposalPhases } from '../rules/phases.ts';
import type { GovernanceThresholds } from '../../vaults/rules/vault.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import type { ProposalsTable } from '../../platform/database/tables/proposals.ts';
import { type FinalTally, readEffect, readFinalTally, readThresholds } from './stored-proposal.ts';
import { jsonWithAmountsAsText } from '../../platform/database/stored-json.ts';

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
export type ProposalHead = Pick<Proposal, 'id' | 'vaultId' | 'proposer' | 'status' | 'executionSent'>;

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

/** Reads a row of this table. Throws UnreadableRow. */
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
