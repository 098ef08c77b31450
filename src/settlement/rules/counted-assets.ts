import { unitOf } from '../../assets/rules/asset.ts';
import { type Arrival, byArrival, limitOfPolicy, withinShare } from '../../prices/rules/counted-values.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Contribution, OwnContribution } from './distribution-input.ts';

/** 80 %: an asset that counts with a smaller part of its own value goes back. */
const LEAST_COUNTED = 8_000n;

export interface CountedAssets {
  /** The assets that count, with the values they count with. */
  readonly counted: readonly Contribution[];
  /** The assets that `maxShare` would make count with too little. */
  readonly capped: readonly OwnContribution[];
}

/**
 * Which assets count, and with which values. Those of one policy count, in the order in which they came, if they do not count with too little
 * beside those that count of it already. With how much a policy can count depends on all that count, so all are judged again with less until
 * that is enough. The limit that is found is the largest one that holds: nothing that comes later makes it smaller, whether or not it goes back.
 */
export function countAssets(assets: readonly OwnContribution[], maxShare: BasisPoints): CountedAssets {
  let [limit, staying] = [null as Lovelace | null, fitting(assets, null)];
  for (;;) {
    const next = limitOfPolicy(staying, maxShare);
    if (next === null || (limit !== null && next >= limit)) break;
    limit = next;
    staying = fitting(assets, limit);
  }
  const counted = withinShare(
    staying.map((asset) => ({ ...asset, ownValue: asset.value })),
    maxShare,
  );
  // Of those that fit, only what is rounded down makes some count with too little.
  const rounded = new Set(counted.filter(countsTooLittle).map(({ id }) => id));
  if (rounded.size > 0) {
    const others = countAssets(
      assets.filter(({ id }) => !rounded.has(id)),
      maxShare,
    );
    return { ...others, capped: [...others.capped, ...assets.filter(({ id }) => rounded.has(id))] };
  }
  const ids = new Set(counted.map(({ id }) => id));
  return { counted, capped: assets.filter(({ id }) => !ids.has(id)) };
}

/**
 * The assets with their own values, at most what their markets can take, that fit one after the other if those of a policy count with `limit`
 * together: none takes up what is left to others unless it fits. Null limits nothing.
 */
function fitting(assets: readonly OwnContribution[], limit: Lovelace | null): OwnContribution[] {
  const [sums, sumsOfUnits] = [new Map<string, bigint>(), new Map<string, bigint>()];
  const own = new Map<string, Lovelace>();
  for (const asset of assets.toSorted((one, other) => byArrival(arrivalOf(one), arrivalOf(other)))) {
    const { id, policyId, assetName = id, marketLimit, value: all } = asset;
    const unit = unitOf({ policyId, assetName });
    const [ofPolicy, ofUnit] = [sums.get(policyId) ?? 0n, sumsOfUnits.get(unit) ?? 0n];
    const left = marketLimit === undefined ? all : marketLimit - ofUnit;
    const value = left < 0n ? 0n : left < all ? left : all;
    if (limit !== null && limit * FULL_SHARE < (ofPolicy + value) * LEAST_COUNTED) continue;
    sumsOfUnits.set(unit, ofUnit + value);
    sums.set(policyId, ofPolicy + value);
    own.set(id, lovelace(value));
  }
  return assets.flatMap((asset) => {
    const value = own.get(asset.id);
    return value === undefined ? [] : [{ ...asset, value }];
  });
}

function arrivalOf({ id, at: addedAt, lockedAt = null }: OwnContribution): Arrival {
  return { id, addedAt, lockedAt };
}

function countsTooLittle({ value, ownValue }: Required<Contribution>): boolean {
  return value * FULL_SHARE < ownValue * LEAST_COUNTED;
}
