import { type Kysely, sql } from 'kysely';

/** Comparisons of the books with the ledger, and the differences that they found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table reconciliations (
    id uuid primary key,
    started_by text not null check (started_by in ('schedule', 'operator')),
    started_at timestamptz not null,
    ended_at timestamptz,
    vaults integer not null default 0,
    last_vault_id uuid
  )`,
  'create index reconciliations_by_start on reconciliations (started_at, id)',
  `create table reconciliation_differences (
    id bigint generated always as identity primary key,
    reconciliation_id uuid not null references reconciliations on delete cascade,
    vault_id uuid not null,
    kind text not null check (kind in ('correctness', 'completeness')),
    code text not null,
    subject text not null,
    books text not null,
    ledger text not null
  )`,
  'create index reconciliation_differences_by_report on reconciliation_differences (reconciliation_id, vault_id, id)',
];
