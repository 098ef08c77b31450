import { type Kysely, sql } from 'kysely';

/** Vaults that were deleted: hidden at once, and then without the rows that belong to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vaults
    add column if not exists deleted_at timestamptz,
    add column if not exists erased_at timestamptz`.execute(db);
  await sql`create index if not exists vaults_to_erase on vaults (id)
    where deleted_at is not null and erased_at is null`.execute(db);
}
