import type { Generated } from 'kysely';
import type { AssetReleaseReason, AssetStatus, AssetType } from '../../../assets/rules/asset.ts';
import type { ValuationMethod } from '../../../prices/rules/valuation-method.ts';
import type { AssetReturnReason } from '../../../settlement/rules/counted-deposits.ts';
import type { Amount, Json, NullableAmount, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

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
