import { type Kysely, sql } from 'kysely';

/** A block that touches one address of a vault reads what is listed there, not all that strangers have ever sent to the vault. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index unsolicited_outputs_by_address on unsolicited_outputs (vault_id, address)').execute(db);
}
