import type { ColumnType, Generated, JSONColumnType } from 'kysely';

/** numeric and int8 columns: pg hands them over as text, code writes bigint. */
type Integer = ColumnType<string, bigint, bigint>;
type NullableInteger = ColumnType<string | null, bigint | null | undefined, bigint | null>;
type Timestamp = ColumnType<Date, Date, Date>;
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;
type Json<T extends object> = JSONColumnType<T>;
type NullableJson = ColumnType<object | null, string | null, string | null>;

export interface PlatformTable {
  id: Generated<boolean>;
  network: string;
  operator_address: string;
  operator_key_hash: string;
}

export interface ClockOffsetTable {
  id: Generated<boolean>;
  offset_ms: Integer;
}

export interface VaultsTable {
  id: string;
  name: string;
  type: string;
  status: string;
  created_by: string;
  admin_email: NullableJson;
  asset_types: string[];
  asset_whitelist: string[];
  contributor_whitelist: string[];
  investor_whitelist: string[];
  valuation_type: string;
  floor_price_percentage: number;
  max_assets: number;
  reserve_percentage: number;
  lp_percentage: number;
  ft_percentage: number;
  ft_supply: Integer;
  ft_decimals: number;
  governance: Json<object>;
  termination: Json<object>;
  metadata: Json<object>;
  vault_key_hash: string;
  policy_key_hash: string;
  custody: NullableJson;
  contract_address: string;
  settlement_address: string;
  policy_id: string;
  ft_unit: string;
  settles_by: Timestamp;
  settles_by_slot: Integer;
  creation_confirmed_at: NullableTimestamp;
  cancel_requested_at: NullableTimestamp;
  failed_because: string | null;
  termination_reason: string | null;
  locked_at: NullableTimestamp;
  terminated_at: NullableTimestamp;
  counted_assets: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface VaultKeysTable {
  key_index: number;
  vault_key_hash: string;
  policy_key_hash: string;
  vault_id: string | null;
}

export interface WindowsTable {
  vault_id: string;
  kind: string;
  starts_at: Timestamp;
  ends_at: Timestamp;
  status: string;
  closed_at: NullableTimestamp;
  recorded_at: ColumnType<Date, never, Date>;
}

export interface ChainTransactionsTable {
  id: string;
  kind: string;
  vault_id: string | null;
  owner_workflow: string;
  signer: string;
  wallet: string | null;
  hash: string;
  unsigned_cbor: string;
  signed_cbor: string | null;
  witnesses: ColumnType<unknown[], string | undefined, string>;
  inputs: Json<object>;
  outputs: Json<object>;
  required_signers: string[];
  /** Migration 0005. */
  platform_signers: Generated<string[]>;
  fee: Integer;
  ttl_slot: Integer;
  expires_at: Timestamp;
  state: string;
  error: string | null;
  block_height: NullableInteger;
  block_hash: string | null;
  submitted_at: NullableTimestamp;
  /** Migration 0016. */
  sent_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ChainTransactionHistoryTable {
  transaction_id: string;
  position: number;
  state: string;
  at: Timestamp;
  block_height: NullableInteger;
  reason: string | null;
}

export interface UtxoLeasesTable {
  tx_hash: string;
  output_index: number;
  /** The open transaction that spends it; null for what lies in a lane of anchors. */
  transaction_id: string | null;
  lane_id: ColumnType<string | null, string | null | undefined, string | null>;
}

export interface AssetsTable {
  id: string;
  vault_id: string;
  type: string;
  policy_id: string;
  asset_name: string;
  quantity: Integer;
  decimals: number;
  valuation_method: string;
  metadata: Json<object>;
  added_by: string;
  status: string;
  release_reason: string | null;
  price: Integer;
  priced_at: Timestamp;
  price_source: string;
  counted_price: NullableInteger;
  delivery_deposit: Integer;
  add_transaction_id: string;
  remove_transaction_id: string | null;
  /** Migration 0008: where it is while it is staked. */
  staking_address: ColumnType<string | null, string | null | undefined, string | null>;
  locked_at: NullableTimestamp;
  released_at: NullableTimestamp;
  added_at: Timestamp;
  updated_at: Timestamp;
}

export interface InvestmentsTable {
  id: string;
  vault_id: string;
  wallet: string;
  lovelace: Integer;
  delivery_deposit: Integer;
  status: string;
  /** Migration 0010. */
  release_reason: string | null;
  transaction_id: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PricesTable {
  policy_id: string;
  asset_name: string;
  lovelace: Integer;
  decimals: number;
  as_of: Timestamp;
  source: string;
}

export interface HoldsTable {
  vault_id: string;
  reason: string;
  since: Timestamp;
}

export interface SettlementsTable {
  vault_id: string;
  distribution: Json<object>;
  planned_at: Timestamp;
  /** Migration 0010. */
  revision: ColumnType<object | null, string | null | undefined, string | null>;
  revised_at: NullableTimestamp;
}

export interface EntitlementsTable {
  vault_id: string;
  deposit_id: string;
  deposit_kind: string;
  wallet: string;
  position: number;
  ft: Integer;
  lovelace: Integer;
  /** Migration 0010; null while the plan holds. */
  revised_lovelace: NullableInteger;
}

export interface TransactionDepositsTable {
  transaction_id: string;
  deposit_id: string;
  deposit_kind: string;
  payment: Json<object>;
}

export interface BlocksTable {
  height: Integer;
  hash: string;
  slot: Integer;
  made_at: Timestamp;
}

export interface WorkflowNoticesTable {
  id: string;
  workflow_id: string;
  message: Json<object>;
  created_at: ColumnType<Date, never, never>;
  sent_at: NullableTimestamp;
}

export interface OutboxTable {
  id: string;
  seq: NullableInteger;
  type: string;
  vault_id: string | null;
  actor: string;
  transaction_hash: string | null;
  correlation_id: string;
  data: Json<object>;
  occurred_at: Timestamp;
}

export interface AuditLogTable {
  id: string;
  seq: NullableInteger;
  action: string;
  actor_id: string;
  actor_type: string;
  resource_type: string;
  resource_id: string;
  metadata: Json<object>;
  at: Timestamp;
  previous_hash: string | null;
  hash: string | null;
}

/** The tables of migration 0001. */
export interface VaultTables {
  platform: PlatformTable;
  clock_offset: ClockOffsetTable;
  vaults: VaultsTable;
  vault_keys: VaultKeysTable;
  windows: WindowsTable;
  chain_transactions: ChainTransactionsTable;
  chain_transaction_history: ChainTransactionHistoryTable;
  utxo_leases: UtxoLeasesTable;
  assets: AssetsTable;
  investments: InvestmentsTable;
  prices: PricesTable;
  holds: HoldsTable;
  settlements: SettlementsTable;
  entitlements: EntitlementsTable;
  transaction_deposits: TransactionDepositsTable;
  blocks: BlocksTable;
  workflow_notices: WorkflowNoticesTable;
  outbox: OutboxTable;
  audit_log: AuditLogTable;
}
