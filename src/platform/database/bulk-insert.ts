import { type InsertQueryBuilder, type InsertResult, type RawBuilder, sql } from 'kysely';
import type { Database, Db, Transaction } from './database.ts';

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
