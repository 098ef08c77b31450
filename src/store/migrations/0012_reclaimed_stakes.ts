import { type Kysely, sql } from 'kysely';

/** Stakes that their owners took back alone, by transactions of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table stakes add column reclaim_hash text',
  'alter table stakes drop constraint stakes_release_reason_check',
  `alter table stakes add constraint stakes_release_reason_check
    check (release_reason in ('unstaked', 'expired', 'reclaimed'))`,
  `alter table stakes add constraint reclaimed_by_some_transaction
    check ((release_reason is not distinct from 'reclaimed') = (reclaim_hash is not null))`,
];
