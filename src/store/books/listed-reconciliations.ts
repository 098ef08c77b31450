import { type Selectable, sql } from 'kysely';
import type { DifferenceKind } from '../../domain/reconciliation/difference.ts';
import { instant } from '../../domain/units/instant.ts';
import type { Db } from '../database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../page.ts';
import type { ReconciliationsTable } from '../tables/reconciliations.ts';
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

const countOf = (kind: DifferenceKind) =>
  sql<number>`(select count(*)::int from reconciliation_differences d
    where d.reconciliation_id = reconciliations.id and d.kind = ${kind})`;
const differenceCounts = [countOf('correctness').as('correctness'), countOf('completeness').as('completeness')];

function readReconciliation(
  row: Selectable<ReconciliationsTable> & Readonly<Record<DifferenceKind, number>>,
): Reconciliation {
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
