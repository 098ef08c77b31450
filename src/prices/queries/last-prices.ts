import type { Price } from '../rules/valuation.ts';
import { readPrice } from './prices.ts';

/** Columns of the last known price of the market, of a table `prices` that is called `latest` in the statement. */
export const lastPriceColumns = [
  'latest.lovelace as last_lovelace',
  'latest.decimals as last_decimals',
  'latest.as_of as last_as_of',
  'latest.source as last_source',
  'latest.market_limit as last_market_limit',
] as const;

/** The columns as the driver returns them; null without a known price. */
export interface LastPriceRow {
  readonly last_lovelace: string | null;
  readonly last_decimals: number | null;
  readonly last_as_of: Date | null;
  readonly last_source: string | null;
  readonly last_market_limit: string | null;
}

/** Reads the columns `lastPriceColumns`; null when no price is known. */
export function readLastPrice({
  last_lovelace: lovelaceText,
  last_decimals: decimals,
  last_as_of: asOf,
  last_source: source,
  last_market_limit: limit,
}: LastPriceRow): Price | null {
  if (lovelaceText === null || decimals === null || asOf === null || source === null) return null;
  return readPrice({ lovelace: lovelaceText, decimals, as_of: asOf, source, market_limit: limit });
}
