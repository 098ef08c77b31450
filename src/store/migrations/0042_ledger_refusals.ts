import { type Kysely, sql } from 'kysely';

/** Why the ledger refused a transaction that only its validity ends: what replaces it takes other inputs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_transactions add column if not exists refusal text`.execute(db);
}
