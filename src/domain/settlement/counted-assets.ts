import { type Arrival, byArrival, limitOfPolicy, withinMarket, withinShare } from '../asset/counted-values.ts';
import { type BasisPoints, FULL_SHARE } from '../units/money.ts';
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
 * Which assets count, and with which values. Of a policy whose assets would count with too little, the first goes back that would do so beside
 * those that came before it: nobody loses an asset because somebody brought more of its policy later, or something that goes back itself. What
 * goes back lowers what the assets of other policies count with, so all are judged anew until none goes back.
 */
export function countAssets(assets: readonly OwnContribution[], maxShare: BasisPoints): CountedAssets {
  let staying = assets;
  const capped: OwnContribution[] = [];
  for (;;) {
    const own = withinMarkets(staying);
    const counted = withinShare(
      own.map((asset) => ({ ...asset, ownValue: asset.value })),
      maxShare,
    );
    const tooLittle = Map.groupBy(counted.filter(countsTooLittle), ({ policyId }) => policyId);
    if (tooLittle.size === 0) return { counted, capped };
    const limit = limitOfPolicy(own, maxShare) ?? 0n;
    const leaving = new Set(
      [...tooLittle].map(([policyId, theirs]) => {
        const inOrder = own.filter((asset) => asset.policyId === policyId).toSorted(byComing);
        // Where all fit, only what is rounded down makes some count with too little.
        return (firstAbove(limit, inOrder) ?? theirs.toSorted(byComing).at(-1))?.id;
      }),
    );
    capped.push(...staying.filter(({ id }) => leaving.has(id)));
    staying = staying.filter(({ id }) => !leaving.has(id));
  }
}

/** The assets with their own values, at most what their markets can take: what goes back takes nothing of that from others. */
function withinMarkets(assets: readonly OwnContribution[]): OwnContribution[] {
  const valued = assets.map((one) => {
    const { policyId, assetName = one.id, value } = one;
    return { one, value, price: one, asset: { policyId, assetName, ...arrivalOf(one) } };
  });
  return withinMarket(valued).map(({ one, value }) => ({ ...one, value }));
}

/** The first asset with which all up to it would count with too little, if they can count with `limit`. */
function firstAbove(limit: bigint, inOrder: readonly OwnContribution[]): OwnContribution | undefined {
  let sum = 0n;
  return inOrder.find(({ value }) => {
    sum += value;
    return limit * FULL_SHARE < sum * LEAST_COUNTED;
  });
}

function byComing(one: OwnContribution, other: OwnContribution): number {
  return byArrival(arrivalOf(one), arrivalOf(other));
}

function arrivalOf({ id, at: addedAt, lockedAt = null }: OwnContribution): Arrival {
  return { id, addedAt, lockedAt };
}

function countsTooLittle({ value, ownValue }: Required<Contribution>): boolean {
  return value * FULL_SHARE < ownValue * LEAST_COUNTED;
}
