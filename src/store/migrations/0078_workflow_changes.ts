import { type Kysely, sql } from 'kysely';

/** What every release knows that has no row of its own here. */
const known = [
  'hold-for-failures',
  'signals-at-the-end',
  'restart-in-waits',
  'refunds-of-a-settlement',
  'termination',
  'programmed-end',
  'vaults-end-votes',
  'batches-in-flight',
  'hold-for-expiries',
  'bounded-waits',
  'restart-between-pages',
];

/**
 * Each worker records its own presence and the changes of the workflows that it knows, so that a change is active only once all know it. A
 * worker of an earlier release goes on with the row without an id.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table worker_presence
    drop constraint worker_presence_pkey,
    alter column only_row drop not null,
    add constraint worker_presence_only_row unique (only_row),
    add column worker_id uuid unique,
    add column changes text[] not null default ${sql.lit(`{${known.join()}}`)}::text[]`.execute(db);
  await sql`create table workflow_changes (
    id text primary key,
    active_since timestamptz not null default now()
  )`.execute(db);
}
