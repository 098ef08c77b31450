import { type OperationNodeSource, sql } from 'kysely';
import type { Transaction } from './database.ts';

/**
 * Runs statements that change rows as one statement, so that Postgres is asked once. None of them sees what another one changes; a row
 * may refer to a row of another one.
 */
export async function runTogether(tx: Transaction, statements: readonly OperationNodeSource[]): Promise<void> {
  const parts = statements.map((statement, place) => sql`${sql.raw(`part_${place}`)} as (${statement})`);
  await sql`with ${sql.join(parts)} select`.execute(tx);
}
