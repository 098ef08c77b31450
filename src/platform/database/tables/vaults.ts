import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { StoredCosigners, StoredCustody, StoredCustomPrice } from '../stored-json.ts';
import type {
  Amount,
  AmountTexts,
  Json,
  NullableAmount,
  NullableJson,
  NullableText,
  NullableTimestamp,
  Timestamp,
  AmountWithDefault,
} from './platform.ts';
import type { SignedAgreement } from '../../../rotation/rules.ts';
import type { HandedAsset } from '../../../termination/rules/pot.ts';
import type { TerminationEnd } from '../../../termination/rules/steps.ts';
import type { AssetTypeRules, ValuationType, VaultType, VaultTypeRules } from '../../../types/rules.ts';
import type {
  HoldReason,
  GovernanceThresholds,
  TerminationReason,
  EndTerms,
  TerminationTerms,
  VaultStatus,
} from '../../../vaults/rules/vault.ts';
import type { WindowKind, WindowStatus } from '../../../vaults/rules/window.ts';

/** The way a vault ends; `duration` in seconds where the type has one. */
interface StoredTermination extends EndTerms {
  readonly type: TerminationTerms['type'];
  /** Basis points. */
  readonly fdp: number;
  readonly duration: number;
}

export interface VaultsTable {
  id: string;
  name: string;
  /** Of a vault of a registered type, the one that is most like it. */
  type: VaultType;
  /** Name of its type, if that is a registered one. */
  custom_type: NullableText;
  /** The rules of its type when it was created; null for those that are built in. */
  type_rules: NullableJson<VaultTypeRules>;
  status: VaultStatus;
  created_by: string;
  admin_email: NullableJson<object>;
  asset_types: string[];
  /** The rules of its asset types when it was created, by name. */
  asset_type_rules: Json<Readonly<Record<string, AssetTypeRules>>>;
  asset_whitelist: string[];
  contributor_whitelist: string[];
  investor_whitelist: string[];
  investor_list_enabled: boolean;
  valuation_type: ValuationType;
  floor_price_percentage: number;
  custom_prices: NullableJson<readonly StoredCustomPrice[]>;
  max_assets: number;
  /** Basis points. */
  max_share: ColumnType<number, number | undefined, number>;
  reserve_percentage: number;
  lp_percentage: number;
  ft_percentage: number;
  ft_supply: Amount;
  ft_decimals: number;
  governance: Json<AmountTexts<keyof GovernanceThresholds>>;
  termination: Json<StoredTermination>;
  /** Replaces `fdp` of `termination` once it was changed. */
  changed_fdp: ColumnType<number | null, number | undefined, number>;
  metadata: Json<Readonly<Record<string, unknown>>>;
  vault_key_hash: string;
  /** The first of its keys. */
  settlement_key_hash: GeneratedAlways<string>;
  policy_key_hash: string;
  custody: NullableJson<StoredCosigners>;
  contract_address: string;
  /** Oldest first; null for none. */
  former_custodies: NullableJson<readonly StoredCustody[]>;
  settlement_address: string;
  policy_id: string;
  ft_unit: NullableText;
  settles_by: Timestamp;
  settles_by_slot: Amount;
  creation_confirmed_at: NullableTimestamp;
  cancel_requested_at: NullableTimestamp;
  failed_because: TerminationReason | null;
  termination_reason: TerminationReason | null;
  locked_at: NullableTimestamp;
  terminated_at: NullableTimestamp;
  counted_assets: Generated<number>;
  /** Lovelace of the last valuation that an event told of; null before the first. */
  published_valuation: NullableAmount;
  /** Valuations in a row below the floor price deviation, and the newest price among those counted. */
  low_valuations: Generated<number>;
  valuation_counted_at: NullableTimestamp;
  claims_open: Generated<boolean>;
  /** Its rotation that is announced or runs, and whether one runs. */
  rotation_id: NullableText;
  is_rotating: Generated<boolean>;
  /** No reader finds it any more. */
  deleted_at: NullableTimestamp;
  /** The rows that belonged to it are deleted. */
  erased_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface VaultKeysTable {
  key_index: number;
  vault_key_hash: string;
  policy_key_hash: string;
  vault_id: string | null;
}

export interface WindowsTable {
  vault_id: string;
  kind: WindowKind;
  starts_at: Timestamp;
  ends_at: Timestamp;
  status: WindowStatus;
  closed_at: NullableTimestamp;
  recorded_at: ColumnType<Date, never, Date>;
}

interface HoldsTable {
  vault_id: string;
  reason: HoldReason;
  since: Timestamp;
}

/** When a vault was last valued, and by what. */
interface VaultValuationsTable {
  vault_id: string;
  /** Hash of all that its value depends on (store/vaults-to-value.ts). */
  basis: Buffer;
  valued_at: Timestamp;
}

export interface VaultTables {
  vaults: VaultsTable;
  vault_valuations: VaultValuationsTable;
  vault_keys: VaultKeysTable;
  windows: WindowsTable;
  holds: HoldsTable;
}

export interface RegisteredTypesTable {
  kind: 'vault' | 'asset';
  name: string;
  description: string;
  rules: Json<object>;
  built_in: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
  retired_at: NullableTimestamp;
}

export interface RegisteredTypeTables {
  registered_types: RegisteredTypesTable;
}

export interface TerminationsTable {
  vault_id: string;
  decided_at: Timestamp;
  remaining_assets_to: NullableText;
  unclaimed_lovelace_to: NullableText;
  handed_assets: Json<readonly HandedAsset[]>;
  claim_seconds: number;
  /** What the operator added for the min-ADA of outputs of the pot, and gets back. */
  float_lovelace: AmountWithDefault;
  /** Credits of final transactions, less the claims on the ledger. */
  pot_lovelace: AmountWithDefault;
  /** Base units that holders have; 0 until the claims open. */
  circulating: AmountWithDefault;
  claims_opened_at: NullableTimestamp;
  claim_deadline: NullableTimestamp;
  /** By how much signed claims that were not confirmed have moved the deadline. */
  grace_seconds: Generated<number>;
  /** By how much sales have moved it. */
  sale_seconds: Generated<number>;
  ended_because: NullableText<TerminationEnd>;
  claims_ended_at: NullableTimestamp;
  /** Whether the platform has no key for the liquidity share; null until the claims open. */
  liquidity_elsewhere: boolean | null;
}

export interface ClaimsTable {
  id: string;
  vault_id: string;
  wallet: string;
  /** Base units. */
  amount: Amount;
  /** Lovelace. */
  payout: Amount;
  status: 'PENDING' | 'PAID' | 'EXPIRED' | 'FAILED';
  claim_transaction_id: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface TerminationTables {
  terminations: TerminationsTable;
  claims: ClaimsTable;
}

export interface RotationsTable {
  id: string;
  vault_id: string;
  reason: string;
  is_urgent: boolean;
  target: Json<StoredCustody>;
  /** What was signed for its cosigners; null where they stay. */
  agreements: NullableJson<readonly SignedAgreement[]>;
  announced_at: Timestamp;
  starts_at: Timestamp;
  begun_at: NullableTimestamp;
  changed_at: NullableTimestamp;
  finished_at: NullableTimestamp;
  cancelled_at: NullableTimestamp;
}

export interface RotationTables {
  rotations: RotationsTable;
}
