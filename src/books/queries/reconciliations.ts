import { sql, type Selectable, type RawBuilder } from 'kysely';
import { type Difference, differenceCodes, type DifferenceKind, type DifferenceCode } from '../rules/books.ts';
import { isWatched } from '../../ledger-follower/queries/addresses.ts';
import type { Db } from '../../platform/database/database.ts';
import { jsonDate, type JsonRow } from '../../platform/database/stored-json.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { ReconciliationsTable } from '../../platform/database/tables/platform.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, secondsAfter, instant } from '../../platform/units/time.ts';

/** A comparison of the books of vaults with the ledger. */
export interface Reconciliation {
  readonly id: string;
  readonly startedBy: 'schedule' | 'operator';
  readonly startedAt: Instant;
  /** Null while it is under way, and when it never ended. */
  readonly endedAt: Instant | null;
  /** Number of vaults compared so far. */
  readonly vaults: number;
  /** Number of vaults that were due when it ended, and were left to the next one. */
  readonly vaultsLeft: number;
  readonly differences: Readonly<Record<DifferenceKind, number>>;
}

/** Reports older than this are deleted. */
const KEPT_SECONDS = 90 * 24 * 3600;

/** Begins a report, of all vaults for an operator, of those that are due for the Schedule; returns its id. */
export async function insertReconciliation(
  transaction: TransactionContext,
  startedBy: Reconciliation['startedBy'],
): Promise<string> {
  const { tx, ids, now } = transaction;
  await tx
    .deleteFrom('reconciliations')
    .where('started_at', '<', new Date(secondsAfter(now, -KEPT_SECONDS)))
    .execute();
  const id = ids.next();
  await tx
    .insertInto('reconciliations')
    .values({ id, started_by: startedBy, started_at: new Date(now) })
    .execute();
  await (startedBy === 'operator' ? planAllVaults : planDueVaults)(transaction, id);
  return id;
}

/** Records that a vault was compared, once, with what differs. */
export async function recordCompared(
  { tx, now }: TransactionContext,
  reconciliationId: string,
  { vaultId, position }: PlannedVault,
  differences: readonly Difference[],
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('reconciliations')
    .set({ last_position: position, vaults: sql<number>`vaults + 1` })
    .where('id', '=', reconciliationId)
    .where('last_position', '<', position)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  const compared_at = new Date(now);
  await tx
    .insertInto('vault_comparisons')
    .values({ vault_id: vaultId, compared_at })
    .onConflict((conflict) => conflict.column('vault_id').doUpdateSet({ compared_at }))
    .execute();
  if (differences.length === 0) return;
  const rows = differences.map(({ code, subject, books, ledger }) => {
    return {
      reconciliation_id: reconciliationId,
      vault_id: vaultId,
      code,
      kind: differenceCodes[code],
      subject,
      books,
      ledger,
    };
  });
  await tx.insertInto('reconciliation_differences').values(rows).execute();
}

export async function endReconciliation({ tx, now }: TransactionContext, id: string): Promise<void> {
  const { rows } = await sql<{ left: number }>`
    with planned as (delete from reconciliation_vaults where reconciliation_id = ${id} returning position)
    select count(*)::int as left from planned
    where position > (select last_position from reconciliations where id = ${id})`.execute(tx);
  await tx
    .updateTable('reconciliations')
    .set({ ended_at: new Date(now), vaults_left: rows[0]?.left ?? 0 })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** So many vaults are all compared by each reconciliation. */
const FEW_VAULTS = 100;
/** Each vault is compared at least so often. */
const LONGEST_SECONDS = 24 * 3600;
/** What others did counts an hour after its block (readLedger), and so has to be compared again then. */
const UNNOTICED_SECONDS = 2 * 3600;
/** One of the Schedule takes no longer than this of its hour. */
const SCHEDULED_SECONDS = 50 * 60;
/** Of those that nothing has happened to; the others are left to the next reconciliation. */
const MOST_UNCHANGED = 5000;

interface PlannedVault {
  readonly vaultId: string;
  readonly position: number;
}

/** Plans a reconciliation of all vaults at whose addresses the ledger can have something. */
async function planAllVaults({ tx, now }: TransactionContext, reconciliationId: string): Promise<void> {
  await sql`
    insert into reconciliation_vaults
      select ${reconciliationId}, row_number() over (order by id), id from vaults
      where deleted_at is null and ${isWatched(sql`${new Date(now)}::timestamptz`)}`.execute(tx);
}

/**
 * Plans a reconciliation of the vaults to which something has happened since the last one of the Schedule began, or of which a difference
 * was found, and after them of those that were compared longest ago.
 */
async function planDueVaults({ tx, now }: TransactionContext, reconciliationId: string): Promise<void> {
  const at = sql`${new Date(now)}::timestamptz`;
  const aDayAgo = sql`${new Date(secondsAfter(now, -LONGEST_SECONDS))}::timestamptz`;
  await forgetUnwatched({ tx, now });
  // A clock was ahead.
  await sql`update vault_comparisons set compared_at = '-infinity' where compared_at > ${at}`.execute(tx);
  const since = await beganLast({ tx, now });
  await sql`
    with happened as materialized (
      select vault_id from chain_transactions where updated_at > ${since} and vault_id is not null
      union select vault_id from watched_addresses where is_due
      union select vault_id from watched_addresses
        where seen_height > (select height from blocks where made_at <= ${since} order by height desc limit 1)
      union select vault_id from reconciliation_differences where reconciliation_id = (
        select id from reconciliations where ended_at is not null and started_at <= ${at} order by started_at desc, id desc limit 1)
    ), unchanged as materialized (
      select vault_id from vault_comparisons
      where compared_at < case when (select count(*) from (select from vault_comparisons limit ${FEW_VAULTS + 1}) as few)
        > ${FEW_VAULTS} then ${aDayAgo} else 'infinity' end
      order by compared_at, vault_id limit ${MOST_UNCHANGED}
    ), due as (
      select vault_id, true as has_changed from happened
      union select vault_id, false from unchanged where vault_id not in (select vault_id from happened)
    )
    insert into reconciliation_vaults
      select ${reconciliationId}, row_number() over (order by has_changed desc, compared_at nulls first, id), id
      from due join vaults on id = due.vault_id left join vault_comparisons c on c.vault_id = id
      where deleted_at is null and ${isWatched(at)}`.execute(tx);
}

/** Of the last reconciliation of the Schedule that ended, with the time in which what others do does not count yet. */
async function beganLast({ tx, now }: Pick<TransactionContext, 'tx' | 'now'>): Promise<Date> {
  const last = await tx
    .selectFrom('reconciliations')
    .select('started_at')
    .where('started_by', '=', 'schedule')
    .where('ended_at', 'is not', null)
    .where('started_at', '<=', new Date(now))
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return new Date((last?.started_at.getTime() ?? UNNOTICED_SECONDS * 1000) - UNNOTICED_SECONDS * 1000);
}

async function forgetUnwatched({ tx, now }: Pick<TransactionContext, 'tx' | 'now'>): Promise<void> {
  const aDayAgo = new Date(secondsAfter(now, -LONGEST_SECONDS));
  await sql`delete from vault_comparisons c using vaults
    where vaults.id = c.vault_id and c.compared_at < ${aDayAgo}
      and (deleted_at is not null or not ${isWatched(sql`${new Date(now)}::timestamptz`)})`.execute(tx);
}

/**
 * The next vaults that a reconciliation is to compare, those that were deleted meanwhile left out; none once the time of one that the
 * Schedule has started is over.
 */
export async function nextPlannedVaults(
  { tx, now }: Pick<TransactionContext, 'tx' | 'now'>,
  reconciliationId: string,
  limit: number,
): Promise<PlannedVault[]> {
  const began = new Date(secondsAfter(now, -SCHEDULED_SECONDS));
  const rows = await tx
    .selectFrom('reconciliation_vaults as planned')
    .innerJoin('reconciliations', 'reconciliations.id', 'planned.reconciliation_id')
    .innerJoin('vaults', 'vaults.id', 'planned.vault_id')
    .select(['planned.vault_id', 'planned.position'])
    .where('planned.reconciliation_id', '=', reconciliationId)
    .whereRef('planned.position', '>', 'reconciliations.last_position')
    .where('vaults.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('started_by', '=', 'operator'), eb('started_at', '>', began)]))
    .orderBy('planned.position')
    .limit(limit)
    .execute();
  return rows.map(({ vault_id, position }) => ({ vaultId: vault_id, position }));
}

/** When the vault was compared that waits longest to be compared again; null before the first comparison. */
export async function oldestComparison(db: Db): Promise<Instant | null> {
  const row = await db
    .selectFrom('vault_comparisons')
    .select('compared_at')
    .where(sql<boolean>`compared_at > '-infinity'`)
    .orderBy('compared_at')
    .limit(1)
    .executeTakeFirst();
  return row ? (row.compared_at.getTime() as Instant) : null;
}

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
function reconciliationColumn(id: string) {
  return sql<JsonRow<ReconciliationRow> | null>`(select to_jsonb(reconciliations) || jsonb_build_object(
    'correctness', ${countOf('correctness')}, 'completeness', ${countOf('completeness')}) from reconciliations where id = ${id})`;
}

/** Reads the column `reconciliationColumn`. */
function readReconciliationColumn(json: JsonRow<ReconciliationRow>): Reconciliation {
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

/** A difference with the vault in which it was found. */
export interface FoundDifference extends Difference {
  readonly vaultId: string;
}

interface DifferenceFilter {
  readonly reconciliationId: string;
  readonly vaultId?: string | undefined;
  readonly kind?: DifferenceKind | undefined;
  readonly code?: DifferenceCode | undefined;
}

const differenceColumns = { vaultId: 'vault_id', code: 'code' } as const;

interface DifferencePage {
  readonly differences: FoundDifference[];
  readonly count: PageCount;
}

/** A reconciliation, a page of the differences that it has found, and their total; null when there is none. */
export async function findReport(
  db: Db,
  filter: DifferenceFilter,
  page: Page<keyof typeof differenceColumns>,
): Promise<(DifferencePage & { readonly reconciliation: Reconciliation }) | null> {
  const { of, ...found } = await listDifferences(db, filter, page, reconciliationColumn(filter.reconciliationId));
  return of && { ...found, reconciliation: readReconciliationColumn(of) };
}

async function listDifferences<Of = null>(
  db: Db,
  { reconciliationId, vaultId, kind, code }: DifferenceFilter,
  page: Page<keyof typeof differenceColumns>,
  of?: RawBuilder<Of>,
): Promise<DifferencePage & { readonly of: Of | null }> {
  const filter = givenFields({ reconciliation_id: reconciliationId, vault_id: vaultId, kind, code });
  const matching = db.selectFrom('reconciliation_differences').where((eb) => eb.and(filter));
  const collection = { columns: differenceColumns, tieBreak: ['id'], ...(of && { of }) };
  const { rows, count, of: shownWith } = await readPage(db, matching.selectAll(), matching, collection, page);
  const differences = rows.map(({ vault_id: found, code: what, subject, books, ledger }) => {
    return { vaultId: found, code: what, subject, books, ledger };
  });
  return { differences, count, of: shownWith };
}

/** Every difference that a reconciliation has found, by vault, so many rows at once. */
export async function* differencesAfter(
  db: Db,
  reconciliationId: string,
  limit: number,
): AsyncIterable<FoundDifference> {
  const page = { limit, offset: 0, sort: { field: 'vaultId', direction: 'asc' } } as const;
  for (let after: readonly string[] | null | undefined; after !== null;) {
    const found = await listDifferences(db, { reconciliationId }, { ...page, ...(after && { after }) });
    yield* found.differences;
    after = found.count.next;
  }
}
