import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import type { Price } from './valuation.ts';

interface Valued {
  readonly value: Lovelace;
}

/** What decides which of two contributions came first: whoever only asks for a transaction has not brought anything yet. */
export interface Arrival {
  readonly id: string;
  readonly addedAt: Instant;
  /** The time of the block that has it; null before. */
  readonly lockedAt: Instant | null;
}

interface ValuedAtMarket extends Valued {
  readonly asset: AssetClass & Arrival;
  readonly price: Pick<Price, 'marketLimit'>;
}

interface ValuedOfPolicy extends Valued {
  readonly policyId: string;
}

/**
 * The assets of a vault, all of one asset with at most what its market can take. Who contributed first counts first: nobody takes
 * from others, by bringing more of an asset later, what theirs counts with.
 */
export function withinMarket<Asset extends ValuedAtMarket>(assets: readonly Asset[]): Asset[] {
  const countedBefore = new Map<string, bigint>();
  const values = new Map<string, Lovelace>();
  for (const { asset, price, value } of assets.toSorted((one, other) => byArrival(one.asset, other.asset))) {
    const unit = unitOf(asset);
    const before = countedBefore.get(unit) ?? 0n;
    const left = price.marketLimit === undefined ? value : price.marketLimit - before;
    const counted = left < 0n ? 0n : left < value ? left : value;
    countedBefore.set(unit, before + counted);
    values.set(asset.id, lovelace(counted));
  }
  return assets.map((one) => ({ ...one, value: values.get(one.asset.id) ?? one.value }));
}

/** The assets of a vault, all of one policy with at most `maxShare` of what all count with. A value that is lowered is rounded down. */
export function withinShare<Asset extends ValuedOfPolicy>(assets: readonly Asset[], maxShare: BasisPoints): Asset[] {
  const limit = limitOfPolicy(assets, maxShare);
  if (limit === null) return [...assets];
  const sums = sumsOfPolicies(assets);
  return assets.map((asset) => {
    const sum = sums.get(asset.policyId) ?? 0n;
    return sum <= limit ? asset : { ...asset, value: lovelace((asset.value * limit) / sum) };
  });
}

/** With how much the assets of one policy can count; null where nothing limits them. */
export function limitOfPolicy(assets: readonly ValuedOfPolicy[], maxShare: BasisPoints): Lovelace | null {
  return maxShare >= FULL_SHARE ? null : lovelace(shareLimit([...sumsOfPolicies(assets).values()], maxShare));
}

function sumsOfPolicies(assets: readonly ValuedOfPolicy[]): Map<string, bigint> {
  const groups = Map.groupBy(assets, ({ policyId }) => policyId);
  return new Map([...groups].map(([policyId, group]) => [policyId, sumOf(group)]));
}

/** The order in which contributions came: that of their blocks, then that of their requests. */
export function byArrival(one: Arrival, other: Arrival): number {
  const inBlocks = (one.lockedAt ?? one.addedAt) - (other.lockedAt ?? other.addedAt);
  return inBlocks || one.addedAt - other.addedAt || (one.id < other.id ? -1 : 1);
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
