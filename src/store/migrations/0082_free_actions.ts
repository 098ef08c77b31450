import { type Kysely, sql } from 'kysely';

const statements = [
  `create table free_actions (
    id bigint generated always as identity primary key,
    wallet text not null,
    kind text not null,
    at timestamptz not null
  )`,
  'create index free_actions_by_wallet on free_actions (wallet, kind, at)',
  'create index free_actions_by_time on free_actions (at)',
];

/** What wallets did on the last day that cost them nothing, but the operator an anchor or a transaction. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
