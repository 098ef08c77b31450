import { canonicalJson } from '../../anchoring/rules/canonical-json.ts';
import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import type { Price } from './valuation.ts';

/** A price of an asset in a vault: that of its contribution, or the one that the settlement counts. */
export interface DepositPrice {
  readonly kind: 'contributed' | 'counted';
  readonly asset: AssetClass & { readonly vaultId: string };
  /** The output that holds it, as `<hash>#<index>`. */
  readonly deposit: string;
  readonly price: Price;
}

/** A price with the worker's seal on it. */
export type SealedPrice = Price & { readonly seal: string };

/** What the worker seals of a price that it has decided itself. The text never changes: seals are stored. */
export function priceSealText({ kind, asset, deposit, price }: DepositPrice): string {
  const { lovelace, decimals, asOf, source, marketLimit = '' } = price;
  const of = { vault: asset.vaultId, deposit, unit: unitOf(asset) };
  const is = { lovelace: String(lovelace), decimals, asOf, source, marketLimit: String(marketLimit) };
  return canonicalJson({ sealed: `${kind}_price`, ...of, ...is });
}
