import { type Kysely, sql } from 'kysely';

/** Why the ledger is not followed at present; no row while it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table ledger_hold (
    only_row boolean primary key default true check (only_row),
    since timestamptz not null,
    tip_height bigint not null,
    fork_height bigint,
    accepted_from bigint
  )`.execute(db);
}
