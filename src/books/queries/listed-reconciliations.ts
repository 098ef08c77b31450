import { type Selectable, sql } from 'kysely';
import type { DifferenceKind } from '../rules/difference.ts';
import { instant } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import { jsonDate, type JsonRow } from '../../platform/database/json-columns.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { ReconciliationsTable } from '../../platform/database/tables/reconciliations.ts';
import type { Reconciliation } from './reconciliations.ts';

const columns = { startedAt: 'started_at' } as const;

/** A page of reconciliations, and the total. */
export async function listReconciliations(
  db: Db,
  { startedBy }: { readonly startedBy?: Reconciliation['startedBy'] | undefined },
  page: Page<keyof typeof columns>,
): Promise<{ reconciliations: Reconciliation[]; count: PageCount }> {
  const matching = db.selectFrom('reconciliations').where((eb) => eb.and(givenFields({ started_by: startedBy })));
  const shown = matching.selectAll().select(differenceCounts);
  const { rows, count } = await readPage(db, shown, matching, { columns, tieBreak: ['id'] }, page);
  return { reconciliations: rows.map(readReconciliation), count };
}

export async function findReconciliation(db: Db, id: string): Promise<Reconciliation | null> {
  const query = db.selectFrom('reconciliations').selectAll().select(differenceCounts).where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row ? readReconciliation(row) : null;
}

/** The last one that ended; null before the first. */
export async function lastReconciliation(db: Db): Promise<Reconciliation | null> {
  const row = await db
    .selectFrom('reconciliations')
    .selectAll()
    .select(differenceCounts)
    .where('ended_at', 'is not', null)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? readReconciliation(row) : null;
}

/** A reconciliation as a column; null for none. */
export function reconciliationColumn(id: string) {
  return sql<JsonRow<ReconciliationRow> | null>`(select to_jsonb(reconciliations) || jsonb_build_object(
    'correctness', ${countOf('correctness')}, 'completeness', ${countOf('completeness')}) from reconciliations where id = ${id})`;
}

/** Reads the column `reconciliationColumn`. */
export function readReconciliationColumn(json: JsonRow<ReconciliationRow>): Reconciliation {
  return readReconciliation({ ...json, started_at: new Date(json.started_at), ended_at: jsonDate(json.ended_at) });
}

const countOf = (kind: DifferenceKind) =>
  sql<number>`(select count(*)::int from reconciliation_differences d
    where d.reconciliation_id = reconciliations.id and d.kind = ${kind})`;
const differenceCounts = [countOf('correctness').as('correctness'), countOf('completeness').as('completeness')];

type ReconciliationRow = Selectable<ReconciliationsTable> & Readonly<Record<DifferenceKind, number>>;

function readReconciliation(row: ReconciliationRow): Reconciliation {
  return {
    id: row.id,
    startedBy: row.started_by,
    startedAt: instant(row.started_at),
    endedAt: row.ended_at && instant(row.ended_at),
    vaults: row.vaults,
    vaultsLeft: row.vaults_left,
    differences: { correctness: row.correctness, completeness: row.completeness },
  };
}
