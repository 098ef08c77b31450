import type { RoleGrants } from './table-grants.ts';

/** Of what only requests write, it deletes what is over. */
const cleanedUp: RoleGrants = {
  anchored_actions: 'delete, select (at)',
  idempotency_keys: 'delete, select (expires_at)',
  login_nonces: 'delete, select (expires_at)',
  rate_limits: 'delete, select (resets_at)',
  sessions: 'delete, select (expires_at)',
  version_clients: 'delete, select (day)',
  version_usage: 'delete, select (day)',
};

const records: RoleGrants = {
  audit_anchors: 'select, insert',
  audit_log: 'select, insert (id, action, actor_id, actor_type, resource_type, resource_id, metadata, at)',
  kysely_migration: 'select',
  outbox: 'select, insert, delete',
  workflow_notices: 'select, insert, delete, update (sent_at)',
};

const ledger: RoleGrants = {
  address_scan: 'select, update (watched_until, read_height, pass_after, pass_until)',
  anchor_attempts: 'select, insert',
  anchor_batches: 'select, insert, update (transaction_id, confirmed)',
  anchor_facts: 'select, insert',
  anchor_chains: 'select, insert, delete, update (holder, held_until, tip, spent_on, spent)',
  blocks: 'select, insert, delete',
  chain_transaction_history: 'select, insert',
  chain_transactions: `
    select, insert,
    update (state, error, signed_cbor, refusal, conflict, block_height, block_hash, submitted_at, sent_at,
      expiry_failed_at, updated_at, shown)`,
  clock_offset: 'select',
  ledger_hold: 'select, insert, delete, update (tip_height, fork_height, accepted_from)',
  operator_funds: 'select, insert, update (held, spent, seen_at, seen_lower)',
  platform: 'select, insert, update (confirmation_depth)',
  quarantine: 'select, insert, delete',
  reconciliation_differences: 'select, insert',
  reconciliation_vaults: 'select, insert, delete',
  reconciliations: 'select, insert, delete, update (ended_at, vaults, vaults_left, last_position)',
  utxo_leases: 'select, insert, delete, update (transaction_id, anchor_chain_id)',
  vault_comparisons: 'select, insert, delete, update (compared_at)',
  watched_addresses: 'select, insert, delete, update (seen_height, is_due)',
  worker_presence: 'select, insert, delete, update (seen_at)',
};

const deposits: RoleGrants = {
  assets: `
    select, insert, delete,
    update (type, custom_type, valuation_method, status, release_reason, released_at, reclaim_hash, return_reason,
      price, priced_at, price_source, price_seal, counted_seal, counted_price, counted_at, counted_source, counted_value, market_limit, supply_unchecked, remove_transaction_id,
      staking_address, locked_at, updated_at)`,
  entitlements: 'select, insert, delete, update (revised_lovelace)',
  investments: `
    select, delete,
    update (status, release_reason, reclaim_hash, return_reason, remove_transaction_id, updated_at)`,
  prices: 'select, insert, update (lovelace, decimals, as_of, source, market_limit)',
  reclaim_checks: 'select, insert, delete, update (block_height, block_hash, after)',
  settlements: 'select, insert, delete, update (revision, revised_at)',
  transaction_deposits: 'select, insert, delete',
  unsolicited_outputs: 'select, insert, delete, update (gone_at, gone_hash, return_transaction_id, returned_at)',
};

const governance: RoleGrants = {
  claims: 'select, delete, update (status, updated_at)',
  endorsements: 'select, delete',
  executions: 'select, delete, update (status, executed_by, executed_at, reason, bought)',
  proposals: `
    select, delete,
    update (status, failure_reason, required_cosigners, final_tally, closing_fact_id, votes_root, execution_sent,
      ended_at, released_at, updated_at)`,
  stakes: `
    select, delete,
    update (status, release_reason, reclaim_hash, final_at, used_power, locked_until,
      unstake_transaction_id, held_again_at, updated_at)`,
  terminations: `
    select, insert, delete,
    update (pot_lovelace, circulating, float_lovelace, claims_opened_at, claim_deadline, grace_seconds, sale_seconds,
      liquidity_elsewhere, ended_because, claims_ended_at)`,
  vote_stakes: 'select',
  votes: 'select, delete, update (status, confirmed_at)',
};

const vaults: RoleGrants = {
  holds: 'select, insert, delete',
  rotations: 'select, update (begun_at, changed_at, finished_at, cancelled_at)',
  vault_keys: 'select, insert',
  vault_valuations: 'select, insert, delete, update (basis, valued_at)',
  vaults: `
    select,
    update (name, metadata, status, vault_key_hash, custody, contract_address, former_custodies, policy_id, ft_unit,
      creation_confirmed_at, failed_because, termination_reason, locked_at, terminated_at, counted_assets,
      published_valuation, low_valuations, valuation_counted_at, claims_open, rotation_id, is_rotating, erased_at,
      updated_at)`,
  windows: 'select, delete, update (status, recorded_at, closed_at)',
};

/** What the statements of the worker need. */
export const workerGrants: RoleGrants = {
  ...cleanedUp,
  ...records,
  ...ledger,
  ...deposits,
  ...governance,
  ...vaults,
};
