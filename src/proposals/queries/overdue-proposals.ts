import { sql } from 'kysely';
import type { ProposalStatus } from '../rules/proposal.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import { type Proposal, readProposal } from './proposals.ts';

/** A filter by the status that readers see: no worker has moved the overdue proposals on yet. */
export interface StatusFilter {
  readonly status: ProposalStatus;
  readonly overdueIds: readonly string[];
  /** Those of the overdue proposals that readers see in this status. */
  readonly shownIds: readonly string[];
}

/** The proposals of a vault whose stored status should have changed by now. */
export async function overdueProposals(db: Db, vaultId: string, now: Instant): Promise<Proposal[]> {
  const rows = await db.selectFrom('proposals').selectAll().where(isOverdue(vaultId, now)).execute();
  return rows.map(readProposal);
}

/** Whether a vault has overdue proposals, as a column. */
export function hasOverdue(vaultId: string, now: Instant) {
  return sql<boolean>`exists (select from proposals where ${isOverdue(vaultId, now)})`;
}

function isOverdue(vaultId: string, now: Instant) {
  return sql<boolean>`(vault_id = ${vaultId} and ${new Date(now)} >= case status
    when 'DRAFT' then draft_expires_at when 'ACTIVE' then voting_ends_at when 'PASSED' then execution_ends_at end)`;
}

/** Whether readers see a proposal in the status, as a condition. */
export function isShownAs({ status, overdueIds, shownIds }: StatusFilter) {
  return sql<boolean>`(proposals.status = ${status} and proposals.id <> all(${overdueIds}::uuid[])
    or proposals.id = any(${shownIds}::uuid[]))`;
}
