import { type Arrival, byArrival, withinShare } from '../asset/counted-values.ts';
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
 * Which assets count, and with which values. Of a policy whose assets would count with too little, the last that came goes back, so that
 * nobody loses an asset because somebody brought more of its policy later. One that goes back lowers what those of other policies count with, so
 * all are judged anew until none goes back.
 */
export function countAssets(assets: readonly OwnContribution[], maxShare: BasisPoints): CountedAssets {
  let staying = assets;
  const capped: OwnContribution[] = [];
  for (;;) {
    const counted = withinShare(
      staying.map((asset) => ({ ...asset, ownValue: asset.value })),
      maxShare,
    );
    const tooLittle = Map.groupBy(counted.filter(countsTooLittle), ({ policyId }) => policyId);
    const last = new Set([...tooLittle.values()].map((ofPolicy) => ofPolicy.toSorted(byComing).at(-1)?.id));
    if (last.size === 0) return { counted, capped };
    capped.push(...staying.filter(({ id }) => last.has(id)));
    staying = staying.filter(({ id }) => !last.has(id));
  }
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
