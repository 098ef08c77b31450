import { type Kysely, sql } from 'kysely';

const statements = [
  `create table vault_comparisons (
    vault_id uuid primary key references vaults on delete cascade,
    compared_at timestamptz not null
  )`,
  'create index vault_comparisons_by_time on vault_comparisons (compared_at, vault_id)',
  `create table reconciliation_vaults (
    reconciliation_id uuid not null references reconciliations on delete cascade,
    position integer not null,
    vault_id uuid not null,
    primary key (reconciliation_id, position)
  )`,
  `alter table reconciliations add column last_position integer not null default 0,
    add column vaults_left integer not null default 0`,
  `insert into vault_comparisons select id, '-infinity' from vaults where deleted_at is null`,
];

/** Which vaults a reconciliation compares, and when each vault was compared last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
