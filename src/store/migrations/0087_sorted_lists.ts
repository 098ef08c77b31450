import { type Kysely, sql } from 'kysely';

const statements = [
  // Lists are read forwards and backwards.
  'drop index vaults_by_creation',
  'create index vaults_by_creation on vaults (created_at, id)',
  'create index vaults_by_update on vaults (updated_at, id)',
  'create index vaults_by_name on vaults (name, id)',
  'create index vaults_by_status on vaults (status, created_at, id)',
  'create index vaults_by_type on vaults ((coalesce(custom_type, type)), created_at, id)',
  'create index chain_transactions_by_update on chain_transactions (updated_at, id)',
  'create index chain_transactions_by_state on chain_transactions (state, created_at, id)',
  'create index chain_transactions_by_kind on chain_transactions (kind, created_at, id)',
];

/** A page of all vaults or transactions is read from an index, whatever it is sorted or filtered by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
