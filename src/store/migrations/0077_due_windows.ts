import { type Kysely, sql } from 'kysely';

/** Windows that are open past their end are found without reading those that have closed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`create index windows_open on windows (ends_at) where status = 'ACTIVE'`).execute(db);
}
