import { type Kysely, sql } from 'kysely';

/** Events are read by proposal and by wallet, in the order of their numbers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table outbox add column wallets jsonb',
  `create index outbox_by_proposal on outbox ((data ->> 'proposalId'), seq) where data ->> 'proposalId' is not null`,
  `create index outbox_by_actor on outbox (actor, seq) where actor <> 'platform'`,
  'create index outbox_by_wallet on outbox using gin (wallets jsonb_path_ops) where wallets is not null',
];
