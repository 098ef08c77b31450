import { sql } from 'kysely';
import type { Instant } from '../domain/units/instant.ts';
import type { ProposalStatus, ProposalType } from '../domain/proposal/proposal.ts';
import type { Db } from './database.ts';
import { type Page, pageOfRows } from './page.ts';
import { type Proposal, readProposal } from './proposals.ts';

interface ProposalFilter {
  readonly vaultId: string;
  readonly type?: ProposalType | undefined;
  readonly status?: StatusFilter | undefined;
}

/** A status as readers are shown it; no worker has moved the overdue proposals on yet. */
export interface StatusFilter {
  readonly status: ProposalStatus;
  readonly overdueIds: readonly string[];
  /** Those of the overdue ones that are shown in this status. */
  readonly shownIds: readonly string[];
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', type: 'type' } as const;

/** A page of a vault's proposals and how many there are in all. */
export async function listProposals(
  db: Db,
  { vaultId, type, status }: ProposalFilter,
  page: Page<keyof typeof columns>,
): Promise<{ proposals: Proposal[]; total: number }> {
  const matching = db
    .selectFrom('proposals')
    .where('vault_id', '=', vaultId)
    .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
    .where(status === undefined ? sql<boolean>`true` : isShownAs(status));
  const { field, direction } = page.sort;
  const ordered = matching.selectAll().orderBy(columns[field], direction).orderBy('id', direction);
  const { rows, total } = await pageOfRows(ordered, matching, page);
  return { proposals: rows.map(readProposal), total };
}

/** The proposals of a vault whose stored status should have changed by now. */
export async function overdueProposals(db: Db, vaultId: string, now: Instant): Promise<Proposal[]> {
  const at = new Date(now);
  const rows = await db
    .selectFrom('proposals')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where(
      sql<boolean>`${at} >= case status
        when 'DRAFT' then draft_expires_at when 'ACTIVE' then voting_ends_at when 'PASSED' then execution_ends_at end`,
    )
    .execute();
  return rows.map(readProposal);
}

function isShownAs({ status, overdueIds, shownIds }: StatusFilter) {
  return sql<boolean>`(status = ${status} and id <> all(${overdueIds}::uuid[]) or id = any(${shownIds}::uuid[]))`;
}
