import { type InsertQueryBuilder, type InsertResult, type RawBuilder, sql, type OperationNodeSource } from 'kysely';
import type { Database, Db, Transaction } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';

type ColumnType = 'uuid' | 'text' | 'int' | 'numeric' | 'jsonb' | 'timestamptz';

/**
 * An insert of any number of rows, in their order: each column is one array, because a statement has at most 65,535 parameters.
 * The caller may add a conflict clause and what to return. JSON columns are given as text.
 */
export function bulkInsert<Table extends keyof Database, Column extends keyof Database[Table] & string>(
  db: Db | Transaction,
  table: Table,
  types: Readonly<Record<Column, ColumnType>>,
  rows: readonly Readonly<Record<Column, unknown>>[],
): InsertQueryBuilder<Database, Table, InsertResult> {
  const columns = Object.keys(types) as Column[];
  const arrays = columns.map((column) => sql`${rows.map((row) => row[column])}::${sql.raw(types[column])}[]`);
  return db
    .insertInto(table)
    .columns(columns)
    .expression(sql`select * from unnest(${sql.join(arrays)})`);
}

/** Any of these values, for `where(column, '=', anyOf(values))`: one parameter, because a statement has at most 65,535. */
export function anyOf<Value extends string | Buffer>(values: readonly Value[]): RawBuilder<Value> {
  return sql<Value>`any(${values})`;
}

/**
 * Executes statements that change rows as one statement: all callers of a batch wait for its round trips to Postgres. None of the
 * statements sees what another one changes; a row may refer to a row of another one.
 */
export async function executeAsOne(tx: Transaction, statements: readonly OperationNodeSource[]): Promise<void> {
  const parts = statements.map((one, place) => sql`${sql.raw(`part_${place}`)} as (${one})`);
  await sql`with ${sql.join(parts)} select`.execute(tx);
}

/**
 * SQLSTATEs that are about the server or the whole transaction, not about what a statement says: connection, deadlock, resources,
 * shutdown, a statement or a wait for a lock that takes too long.
 */
const TRANSIENT = /^(08|40|53|58|57P|57014|55P03)/;

/** Undoes a part of a transaction that throws, and returns its error; null when it succeeded. Throws what concerns the whole transaction. */
export async function inSavepoint(
  tx: Transaction,
  work: () => Promise<void>,
): Promise<{ readonly error: unknown } | null> {
  await sql`savepoint part`.execute(tx);
  try {
    await work();
    await sql`release savepoint part`.execute(tx);
    return null;
  } catch (error) {
    if (isTransient(error)) throw error;
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    return { error };
  }
}

function isTransient(error: unknown): boolean {
  return TRANSIENT.test(sqlStateOf(error));
}
