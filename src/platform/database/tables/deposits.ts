import type { Generated } from 'kysely';
import type { AssetReleaseReason, AssetStatus, AssetType } from '../../../assets/rules/asset.ts';
import type { InvestmentReleaseReason, InvestmentStatus } from '../../../investments/rules.ts';
import type {
  Amount,
  Json,
  NullableAmount,
  NullableText,
  NullableTimestamp,
  Timestamp,
  AmountWithDefault,
  AmountTexts,
  NullableJson,
} from './platform.ts';
import type { ValuationMethod } from '../../../prices/rules/valuation-method.ts';
import type {
  AssetReturnReason,
  InvestmentReturnReason,
  ReturnedDeposit,
  DepositKind,
} from '../../../settlement/rules/deposits.ts';
import type { Revision } from '../../../settlement/rules/distribution.ts';
import type { UtxoRef } from '../../../transactions/rules.ts';

export interface AssetsTable {
  id: string;
  vault_id: string;
  /** Of an asset of a registered type, its base. */
  type: AssetType;
  /** Name of its type, if that is a registered one. */
  custom_type: NullableText;
  policy_id: string;
  asset_name: string;
  quantity: Amount;
  decimals: number;
  valuation_method: ValuationMethod;
  metadata: Json<Readonly<Record<string, unknown>>>;
  added_by: string;
  status: AssetStatus;
  release_reason: AssetReleaseReason | null;
  /** The owner's transaction, if `release_reason` is reclaimed. */
  reclaim_hash: NullableText;
  price: Amount;
  priced_at: Timestamp;
  price_source: string;
  /** The worker has read it from the feed, or it was contributed before. */
  /** The worker's seals on the price and on the counted one. */
  price_seal: NullableText;
  counted_seal: NullableText;
  counted_price: NullableAmount;
  /** Time and source of the counted price. */
  counted_at: NullableTimestamp;
  counted_source: NullableText;
  /** Of its price. */
  market_limit: NullableAmount;
  /** Its value in the plan of the settlement. */
  counted_value: NullableAmount;
  delivery_deposit: Amount;
  add_transaction_id: string;
  /** Which output of that transaction holds it. */
  deposit_index: Generated<number>;
  /** It arrived as an NFT while the ledger could not say how many of it exist. */
  supply_unchecked: Generated<boolean>;
  remove_transaction_id: string | null;
  /** Why the settlement returns it; null when it counts. */
  return_reason: NullableText<AssetReturnReason>;
  /** Its address while it is staked. */
  staking_address: NullableText;
  locked_at: NullableTimestamp;
  released_at: NullableTimestamp;
  added_at: Timestamp;
  updated_at: Timestamp;
}

export interface AssetTables {
  assets: AssetsTable;
}

export interface InvestmentsTable {
  id: string;
  vault_id: string;
  wallet: string;
  lovelace: Amount;
  delivery_deposit: Amount;
  status: InvestmentStatus;
  release_reason: InvestmentReleaseReason | null;
  /** The owner's transaction, if `release_reason` is reclaimed. */
  reclaim_hash: NullableText;
  transaction_id: string;
  min_vault_value: AmountWithDefault;
  remove_transaction_id: NullableText;
  return_reason: NullableText<InvestmentReturnReason>;
  max_fdv: NullableAmount;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface InvestmentTables {
  investments: InvestmentsTable;
}

interface PaymentOfDeposit {
  /** Address that is paid. */
  readonly owner: string;
  readonly deposit: UtxoRef;
  readonly feeShare: string;
}

/** What the owner of a deposit receives by a delivery; amounts are texts. */
export interface DeliveredPayment extends PaymentOfDeposit {
  readonly ft: string;
  readonly lovelaceShare: string;
  readonly depositReturned: string;
  readonly custodyMinAda: string;
  /** Index of the output. */
  readonly ownerOutput: number;
  readonly custodyOutput: number | null;
}

/** What the owner of a deposit receives by a refund; amounts are texts. */
export interface RefundedPayment extends PaymentOfDeposit {
  readonly lovelaceReturned: string;
}

/** Where a hand-over sends an asset. */
interface HandedOver {
  readonly address: string;
}

/** What a transaction records of each deposit that it spends, by its kind. */
export interface Payments {
  deliver: DeliveredPayment;
  refund: RefundedPayment;
  hand_over: HandedOver;
}

/** A stored distribution: the figures that later steps need, and everything else as it was computed. */
export type StoredPlan = AmountTexts<'value' | 'invested' | 'lpLovelace' | 'lpFt'> &
  Readonly<Record<string, unknown>> & { readonly returned: readonly ReturnedDeposit[] };

export interface SettlementsTable {
  vault_id: string;
  distribution: Json<StoredPlan>;
  planned_at: Timestamp;
  revision: NullableJson<AmountTexts<keyof Omit<Revision, 'contributors'>>>;
  revised_at: NullableTimestamp;
}

export interface EntitlementsTable {
  vault_id: string;
  deposit_id: string;
  deposit_kind: DepositKind;
  wallet: string;
  position: number;
  ft: Amount;
  lovelace: Amount;
  /** Null while the plan is not revised. */
  revised_lovelace: NullableAmount;
}

interface TransactionDepositsTable {
  transaction_id: string;
  deposit_id: string;
  deposit_kind: DepositKind;
  payment: Json<Payments[keyof Payments]>;
}

/** How far the reclaimed deposits of a vault were checked against the ledger. */
interface ReclaimChecksTable {
  vault_id: string;
  /** A followed block. While it is on the ledger, what was checked is as it was. */
  block_height: Amount;
  block_hash: string;
  /** The deposit after which the check continues; null when it is complete. */
  after: NullableText;
}

export interface SettlementTables {
  reclaim_checks: ReclaimChecksTable;
  settlements: SettlementsTable;
  entitlements: EntitlementsTable;
  transaction_deposits: TransactionDepositsTable;
}

export interface PricesTable {
  policy_id: string;
  asset_name: string;
  lovelace: Amount;
  decimals: number;
  as_of: Timestamp;
  source: string;
  market_limit: NullableAmount;
}

export interface PriceTables {
  prices: PricesTable;
}
