import {
  type PricedAsset,
  pricedAsset,
  type ValuationTerms,
  type ValuedAsset,
} from '../../prices/rules/priced-asset.ts';
import type { Price } from '../../prices/rules/valuation.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { type BasisPoints, lovelace } from '../../platform/units/money.ts';
import { countAssets } from './counted-assets.ts';
import { contributionOf } from './distribution-input.ts';

/** An asset in a vault that has not settled. */
interface LockedAsset extends ValuedAsset {
  readonly id: string;
  /** Wallet. */
  readonly owner: string;
  readonly addedAt: Instant;
  readonly lockedAt: Instant | null;
  readonly removeTransactionId: string | null;
}

/** The assets in a vault that are not being returned, with their own values, whatever limits these. `latest` as for `pricedAsset`. */
export function stayingValues<Asset extends LockedAsset>(
  locked: readonly Asset[],
  terms: ValuationTerms,
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset>[] {
  return locked.filter(isStaying).map((asset) => pricedAsset(asset, terms, latest));
}

/** As `stayingValues`, with the values that a settlement would count; 0 for those it would return. */
export function countedValues<Asset extends LockedAsset>(
  locked: readonly Asset[],
  terms: ValuationTerms & { readonly maxShare: BasisPoints },
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset>[] {
  const staying = stayingValues(locked, terms, latest);
  const { counted } = countAssets(staying.map(contributionOf), terms.maxShare);
  const values = new Map(counted.map(({ id, value }) => [id, value]));
  return staying.map((priced) => ({ ...priced, value: values.get(priced.asset.id) ?? lovelace(0n) }));
}

/** Whether a deposit is in its vault and no transaction returns it. */
export function isStaying({ removeTransactionId }: { readonly removeTransactionId: string | null }): boolean {
  return removeTransactionId === null;
}
