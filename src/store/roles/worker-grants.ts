import type { RoleGrants } from './table-grants.ts';

/** Of what only requests write, it deletes what is over. */
const cleanedUp: RoleGrants = {
  idempotency_keys: { select: ['expires_at'], delete: true },
  login_nonces: { select: ['expires_at'], delete: true },
  rate_limits: { select: ['resets_at'], delete: true },
  sessions: { select: ['expires_at'], delete: true },
  version_clients: { select: ['day'], delete: true },
  version_usage: { select: ['day'], delete: true },
};

const records: RoleGrants = {
  audit_anchors: { insert: 'all' },
  audit_log: { insert: ['id', 'action', 'actor_id', 'actor_type', 'resource_type', 'resource_id', 'metadata', 'at'] },
  changes: { insert: ['subject'], delete: true },
  kysely_migration: {},
  outbox: { insert: 'all' },
  workflow_notices: { insert: 'all', update: ['sent_at'], delete: true },
};

const ledger: RoleGrants = {
  anchor_attempts: { insert: 'all' },
  anchor_batches: { insert: 'all', update: ['transaction_id', 'landed'] },
  anchor_facts: { insert: 'all' },
  anchor_lanes: { insert: 'all', update: ['holder', 'held_until', 'tip'], delete: true },
  blocks: { insert: 'all', delete: true },
  chain_transaction_history: { insert: 'all' },
  chain_transactions: {
    insert: 'all',
    update: [
      'state',
      'error',
      'signed_cbor',
      'refusal',
      'conflict',
      'block_height',
      'block_hash',
      'submitted_at',
      'sent_at',
      'expiry_failed_at',
      'updated_at',
    ],
  },
  clock_offset: {},
  ledger_hold: { insert: 'all', update: ['tip_height', 'fork_height', 'accepted_from'], delete: true },
  platform: { insert: 'all', update: ['confirmation_depth'] },
  quarantine: { insert: 'all', delete: true },
  reconciliation_differences: { insert: 'all' },
  reconciliations: { insert: 'all', update: ['ended_at', 'vaults', 'last_vault_id'], delete: true },
  utxo_leases: { insert: 'all', update: ['transaction_id', 'lane_id'], delete: true },
  worker_presence: { insert: 'all', update: ['seen_at'] },
};

const deposits: RoleGrants = {
  assets: {
    insert: 'all',
    update: [
      'type',
      'custom_type',
      'valuation_method',
      'status',
      'release_reason',
      'released_at',
      'reclaim_hash',
      'return_reason',
      'counted_price',
      'counted_at',
      'counted_source',
      'counted_value',
      'market_limit',
      'supply_unchecked',
      'remove_transaction_id',
      'staking_address',
      'locked_at',
      'updated_at',
    ],
    delete: true,
  },
  entitlements: { insert: 'all', update: ['revised_lovelace'], delete: true },
  investments: {
    update: ['status', 'release_reason', 'reclaim_hash', 'return_reason', 'remove_transaction_id', 'updated_at'],
    delete: true,
  },
  prices: { insert: 'all', update: ['lovelace', 'decimals', 'as_of', 'source', 'market_limit'] },
  reclaim_checks: { insert: 'all', update: ['block_height', 'block_hash', 'after'], delete: true },
  settlements: { insert: 'all', update: ['revision', 'revised_at'], delete: true },
  transaction_deposits: { insert: 'all', delete: true },
  unsolicited_outputs: {
    insert: 'all',
    update: ['gone_at', 'gone_hash', 'return_transaction_id', 'returned_at'],
    delete: true,
  },
};

const governance: RoleGrants = {
  claims: { update: ['status', 'updated_at'], delete: true },
  endorsements: { delete: true },
  executions: { update: ['status', 'executed_by', 'executed_at', 'reason', 'bought'], delete: true },
  proposals: {
    update: [
      'status',
      'failure_reason',
      'required_cosigners',
      'final_tally',
      'closing_fact_id',
      'votes_root',
      'execution_sent',
      'ended_at',
      'released_at',
      'updated_at',
    ],
    delete: true,
  },
  stakes: {
    update: [
      'status',
      'release_reason',
      'reclaim_hash',
      'final_at',
      'used_power',
      'locked_until',
      'vault_key_hash',
      'unstake_transaction_id',
      'held_again_at',
      'updated_at',
    ],
    delete: true,
  },
  terminations: {
    insert: 'all',
    update: ['pot_lovelace', 'circulating', 'float_lovelace', 'claims_opened_at', 'claim_deadline', 'ended_because'],
  },
  vote_stakes: {},
  votes: { update: ['status', 'confirmed_at'], delete: true },
};

const vaults: RoleGrants = {
  holds: { insert: 'all', delete: true },
  rotations: { update: ['begun_at', 'changed_at', 'finished_at', 'cancelled_at'] },
  vault_keys: { insert: 'all' },
  vaults: {
    update: [
      'name',
      'metadata',
      'status',
      'vault_key_hash',
      'custody',
      'contract_address',
      'former_custodies',
      'policy_id',
      'ft_unit',
      'creation_confirmed_at',
      'failed_because',
      'termination_reason',
      'locked_at',
      'terminated_at',
      'counted_assets',
      'published_valuation',
      'low_valuations',
      'valuation_counted_at',
      'claims_open',
      'rotation_id',
      'is_rotating',
      'erased_at',
      'updated_at',
    ],
  },
  windows: { update: ['status', 'recorded_at', 'closed_at'], delete: true },
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
