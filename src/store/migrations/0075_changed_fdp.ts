import { type Kysely, sql } from 'kysely';

/**
 * The floor price deviation of a vault after a change, in basis points; null for the one that it was created with. It left the terms of the
 * vault's end, so that the role of the api, which changes it, cannot change who is named there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vaults add column changed_fdp integer`.execute(db);
}
