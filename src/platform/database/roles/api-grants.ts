import type { RoleGrants } from './table-grants.ts';

const callers: RoleGrants = {
  announcements: 'select, insert',
  api_keys: 'select, insert, update (expires_at, revoked_at, last_used_at)',
  feature_flags: `
    select, insert, delete,
    update (enabled, version, rollout, client_ids, environments, starts_at, updated_at)`,
  anchored_actions: 'select, insert',
  idempotency_keys: 'select, insert, delete, update (fingerprint, status, body, expires_at)',
  login_nonces: 'select, insert, delete',
  pauses: 'select, insert, delete, update (reason)',
  rate_limits: 'select, insert, update (hits, resets_at)',
  registered_types: 'select, insert, update (description, rules, updated_at, retired_at)',
  sessions: 'select, insert, delete, update (last_used_at, expires_at)',
  version_clients: 'select, insert',
  version_usage: 'select, insert, update (requests, errors, duration_ms)',
  wallet_roles: 'select, insert, update (wallet, roles, updated_by, updated_at)',
};

/** It numbers events and chains the audit log, each entry once. */
const records: RoleGrants = {
  audit_anchors: 'select',
  audit_log: `
    select,
    insert (id, action, actor_id, actor_type, resource_type, resource_id, metadata, at),
    update (seq, previous_hash, hash, chained_at)`,
  kysely_migration: 'select',
  outbox: 'select, insert, update (seq)',
  workflow_notices: 'select, insert, update (sent_at)',
};

/** It records what it has built; what is signed, sent and on the ledger is the worker's. */
const transactions: RoleGrants = {
  anchor_attempts: 'select, insert',
  anchor_batches: 'select, insert (id, anchor_chain_id, transaction_id, root, facts)',
  anchor_facts: 'select, insert',
  anchor_chains: 'select, insert, delete, update (holder, held_until, tip, spent_on, spent)',
  blocks: 'select',
  chain_transaction_history: 'select, insert',
  chain_transactions: `
    select,
    insert (id, kind, vault_id, owner_workflow, signer, wallet, hash, unsigned_cbor, inputs, outputs,
      required_signers, platform_signers, cosigners, fee, ttl_slot, expires_at, state, error, created_at, updated_at),
    update (witnesses, state, error, updated_at)`,
  clock_offset: 'select',
  operator_funds: 'select',
  platform: 'select',
  quarantine: 'select',
  reconciliation_differences: 'select',
  reconciliations: 'select',
  vault_comparisons: 'select',
  utxo_leases: 'select, insert, delete',
  worker_presence: 'select',
};

const deposits: RoleGrants = {
  assets: `
    select,
    insert (id, vault_id, type, custom_type, policy_id, asset_name, quantity, decimals, valuation_method, metadata,
      added_by, status, release_reason, price, priced_at, price_source, market_limit, delivery_deposit,
      add_transaction_id, deposit_index, remove_transaction_id, added_at, updated_at),
    update (status, release_reason, released_at, remove_transaction_id, updated_at)`,
  entitlements: 'select',
  investments: `
    select,
    insert (id, vault_id, wallet, lovelace, delivery_deposit, min_vault_value, max_fdv, status, release_reason,
      transaction_id, created_at, updated_at),
    update (remove_transaction_id, updated_at)`,
  prices: 'select, insert, update (lovelace, decimals, as_of, source, market_limit)',
  settlements: 'select',
  transaction_deposits: 'select',
  unsolicited_outputs: 'select, update (return_transaction_id)',
};

const governance: RoleGrants = {
  claims: 'select, insert, update (status, updated_at)',
  endorsements: 'select, insert',
  executions: 'select, insert, update (status, executed_by, executed_at, reason)',
  proposals: `
    select,
    insert (id, vault_id, proposer, title, description, type, asset_ids, terms, thresholds, voting_seconds,
      lock_seconds, execution_seconds, required_cosigners, status, failure_reason, draft_expires_at, created_at,
      updated_at),
    update (status, failure_reason, opened_with, voting_starts_at, voting_ends_at, lock_ends_at, execution_ends_at,
      final_tally, execution_sent, ended_at, updated_at)`,
  stakes: `
    select,
    insert (id, vault_id, wallet, amount, status, release_reason, staked_at, owner_alone_from, release_slot,
      script_address, vault_key_hash, stake_transaction_id, unstake_transaction_id, updated_at),
    update (status, used_power, locked_until, unstake_transaction_id, held_again_at, updated_at)`,
  terminations: 'select',
  vote_stakes: 'select, insert',
  votes: `
    select,
    insert (id, proposal_id, wallet, decision, amount, status, cast_at, revoked_at, nonce, signature, signing_key),
    update (status, revoked_at)`,
};

const vaults: RoleGrants = {
  holds: 'select',
  rotations: `
    select,
    insert (id, vault_id, reason, is_urgent, target, agreements, announced_at, starts_at),
    update (cancelled_at)`,
  vault_keys: 'select, update (vault_id)',
  vaults: `
    select,
    insert (id, name, type, custom_type, type_rules, asset_types, asset_type_rules, status, created_by, admin_email,
      asset_whitelist, contributor_whitelist, investor_whitelist, investor_list_enabled, valuation_type,
      floor_price_percentage, custom_prices, max_assets, max_share, reserve_percentage, lp_percentage, ft_percentage,
      ft_supply, ft_decimals, governance, termination, metadata, vault_key_hash, policy_key_hash, custody,
      contract_address, settlement_address, policy_id, ft_unit, settles_by, settles_by_slot, failed_because,
      termination_reason, created_at, updated_at),
    update (admin_email, asset_whitelist, contributor_whitelist, investor_whitelist, investor_list_enabled,
      valuation_type, custom_prices, changed_fdp, cancel_requested_at, failed_because, counted_assets, rotation_id,
      is_rotating, deleted_at, updated_at)`,
  windows: 'select, insert (vault_id, kind, starts_at, ends_at, status)',
};

/** What the statements of the api need. Which states of rows it may write is in the triggers of `8_rights.sql`. */
export const apiGrants: RoleGrants = {
  ...callers,
  ...records,
  ...transactions,
  ...deposits,
  ...governance,
  ...vaults,
};
