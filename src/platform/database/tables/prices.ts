import type { Amount, NullableAmount, Timestamp } from './columns.ts';

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
