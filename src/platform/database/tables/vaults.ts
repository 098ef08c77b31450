import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AssetTypeRules } from '../../../types/rules/asset-type.ts';
import type { HoldReason } from '../../../vaults/rules/hold.ts';
import type {
  GovernanceThresholds,
  TerminationReason,
  EndTerms,
  TerminationTerms,
  VaultStatus,
} from '../../../vaults/rules/vault.ts';
import type { ValuationType, VaultType, VaultTypeRules } from '../../../types/rules/vault-type.ts';
import type { WindowKind, WindowStatus } from '../../../vaults/rules/window.ts';
import type { StoredCosigners } from '../../../executions/queries/stored-cosigners.ts';
import type { StoredCustody } from '../../../rotation/queries/stored-custody.ts';
import type { StoredCustomPrice } from '../../../prices/queries/stored-custom-price.ts';
import type {
  Amount,
  AmountTexts,
  Json,
  NullableAmount,
  NullableJson,
  NullableText,
  NullableTimestamp,
  Timestamp,
} from './columns.ts';

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

export interface VaultKeysTable {
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

export interface HoldsTable {
  vault_id: string;
  reason: HoldReason;
  since: Timestamp;
}

/** When a vault was last valued, and by what. */
export interface VaultValuationsTable {
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
