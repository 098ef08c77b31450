import { type Kysely, sql } from 'kysely';

/** An index for every question that is asked of a growing table while others wait: by blocks, proofs, witnesses and the sweep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'create index assets_by_addition on assets (add_transaction_id)',
  'create index assets_by_removal on assets (remove_transaction_id) where remove_transaction_id is not null',
  'create index investments_by_transaction on investments (transaction_id)',
  'create index anchor_attempts_by_batch on anchor_attempts (batch_id)',
  `create index chain_transactions_by_block on chain_transactions (block_height) where state in ('confirmed', 'final')`,
  // Most transactions are anchors, which no wallet signs.
  `create index chain_transactions_by_signer on chain_transactions using gin (required_signers) where signer = 'wallet'`,
  'create index executions_by_vault on executions (vault_id)',
  'create index workflow_notices_sent on workflow_notices (sent_at) where sent_at is not null',
  'create index assets_by_owner on assets (added_by, vault_id)',
  'create index investments_by_wallet on investments (wallet, vault_id)',
];
