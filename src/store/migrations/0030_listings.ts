import { type Kysely, sql } from 'kysely';

/** For lists by wallet and by time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'create index vaults_by_admin on vaults (created_by, created_at, id)',
  'create index chain_transactions_by_time on chain_transactions (created_at, id)',
  'create index chain_transactions_by_wallet on chain_transactions (wallet, created_at, id) where wallet is not null',
];
