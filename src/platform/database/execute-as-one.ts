import { type OperationNodeSource, sql } from 'kysely';
import type { Transaction } from './database.ts';

/**
 * Executes statements that change rows as one statement: all callers of a batch wait for its round trips to Postgres. None of the
 * statements sees what another one changes; a row may refer to a row of another one.
 */
export async function executeAsOne(tx: Transaction, statements: readonly OperationNodeSource[]): Promise<void> {
  const parts = statements.map((one, place) => sql`${sql.raw(`part_${place}`)} as (${one})`);
  await sql`with ${sql.join(parts)} select`.execute(tx);
}
