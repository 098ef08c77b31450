import type { Amount, NullableAmount, Timestamp } from './columns.ts';

export interface PricesTable {
  policy_id: string;
  asset_name: string;
  lovelace: Amount;
  decimals: number;
  as_of: Timestamp;
  source: string;
  /** Migration 0021. */
  market_limit: NullableAmount;
}

export interface PriceTables {
  prices: PricesTable;
}
