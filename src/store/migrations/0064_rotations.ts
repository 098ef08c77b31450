import { type Kysely, sql } from 'kysely';

const statements = [
  `create table rotations (
    id uuid primary key,
    vault_id uuid not null references vaults on delete cascade,
    reason text not null,
    is_urgent boolean not null,
    target jsonb not null,
    announced_at timestamptz not null,
    starts_at timestamptz not null,
    begun_at timestamptz,
    changed_at timestamptz check (changed_at is null or begun_at is not null),
    finished_at timestamptz check (finished_at is null or changed_at is not null),
    cancelled_at timestamptz check (cancelled_at is null or begun_at is null)
  )`,
  'create index rotations_by_vault on rotations (vault_id, announced_at)',
  'create unique index one_open_rotation on rotations (vault_id) where finished_at is null and cancelled_at is null',
  'alter table vaults add column rotation_id uuid',
  'alter table vaults add column is_rotating boolean not null default false',
  `select record_changes('rotations', 'select vault_id::text from changed')`,
];

/** Changes of the key or the cosigners of vaults, and of each vault the one that is announced or runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
