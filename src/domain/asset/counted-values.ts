import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace } from '../units/money.ts';
import { type AssetClass, unitOf } from './asset.ts';
import type { Price } from './valuation.ts';

interface Valued {
  readonly value: Lovelace;
}

interface ValuedAtMarket extends Valued {
  readonly asset: AssetClass;
  readonly price: Pick<Price, 'marketLimit'>;
}

interface ValuedOfPolicy extends Valued {
  readonly policyId: string;
}

/** The assets of a vault, all of one asset with at most what its market can take. A value that is lowered is rounded down. */
export function withinMarket<Asset extends ValuedAtMarket>(assets: readonly Asset[]): Asset[] {
  return lowered(
    assets,
    ({ asset }) => unitOf(asset),
    (_sum, [{ price }]) => price.marketLimit,
  );
}

/** The assets of a vault, all of one policy with at most `maxShare` of what all count with. A value that is lowered is rounded down. */
export function withinShare<Asset extends ValuedOfPolicy>(assets: readonly Asset[], maxShare: BasisPoints): Asset[] {
  if (maxShare >= FULL_SHARE) return [...assets];
  const byPolicy = ({ policyId }: ValuedOfPolicy) => policyId;
  const sums = [...Map.groupBy(assets, byPolicy).values()].map(sumOf);
  const limit = shareLimit(sums, maxShare);
  return lowered(assets, byPolicy, () => limit);
}

type Group<Asset> = readonly [Asset, ...Asset[]];

/** Lowers the values of each group in proportion, so that they add up to no more than its limit; undefined is no limit. */
function lowered<Asset extends Valued>(
  assets: readonly Asset[],
  groupOf: (asset: Asset) => string,
  limitOf: (sum: bigint, group: Group<Asset>) => bigint | undefined,
): Asset[] {
  const groups = Map.groupBy(assets, groupOf);
  return assets.map((asset) => {
    const group = groups.get(groupOf(asset)) ?? [];
    const sum = sumOf(group);
    const limit = limitOf(sum, [asset, ...group]);
    return limit === undefined || sum <= limit ? asset : { ...asset, value: lovelace((asset.value * limit) / sum) };
  });
}

/** The largest value of one group, if none may be more than `maxShare` of the sum of all as they count. */
function shareLimit(sums: readonly bigint[], maxShare: bigint): bigint {
  const descending = [...sums].sort((one, other) => (one < other ? 1 : -1));
  let rest = sumOfAll(descending);
  for (const [position, largest] of descending.entries()) {
    // The `position` larger groups count with the limit, the others as they are.
    const remainingShare = FULL_SHARE - BigInt(position) * maxShare;
    if (remainingShare <= 0n) return 0n;
    const limit = (rest * maxShare) / remainingShare;
    if (largest <= limit) return limit;
    rest -= largest;
  }
  return 0n;
}

const sumOf = (assets: readonly Valued[]) => sumOfAll(assets.map(({ value }) => value));

function sumOfAll(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}
