import { type OperationNodeSource, sql } from 'kysely';
import type { Transaction } from './database.ts';
import { run, type Statement, statement } from './statements.ts';

/**
 * Runs statements that change rows as one statement, so that Postgres is asked once. None of them sees what another one changes; a row
 * may refer to a row of another one.
 */
export function runTogether(tx: Transaction, statements: readonly OperationNodeSource[]): Promise<void> {
  return run(tx, together(tx, statements));
}

/** The statement of `runTogether`. */
export function together(tx: Transaction, statements: readonly OperationNodeSource[]): Statement<void> {
  const parts = statements.map((one, place) => sql`${sql.raw(`part_${place}`)} as (${one})`);
  return statement(sql`with ${sql.join(parts)} select`.compile(tx), () => undefined);
}
