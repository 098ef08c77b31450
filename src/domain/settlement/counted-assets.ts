import { withinShare } from '../asset/counted-values.ts';
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
 * Which assets count, and with which values. An asset that goes back lowers what the others count with, so they are judged anew
 * until none goes back: nobody loses the asset of a large policy because someone took out those of the small ones.
 */
export function countAssets(assets: readonly OwnContribution[], maxShare: BasisPoints): CountedAssets {
  let staying = assets;
  const capped: OwnContribution[] = [];
  for (;;) {
    const counted = withinShare(
      staying.map((asset) => ({ ...asset, ownValue: asset.value })),
      maxShare,
    );
    const tooLittle = new Set(counted.filter(countsTooLittle).map(({ id }) => id));
    if (tooLittle.size === 0) return { counted, capped };
    capped.push(...staying.filter(({ id }) => tooLittle.has(id)));
    staying = staying.filter(({ id }) => !tooLittle.has(id));
  }
}

function countsTooLittle({ value, ownValue }: Required<Contribution>): boolean {
  return value * FULL_SHARE < ownValue * LEAST_COUNTED;
}
