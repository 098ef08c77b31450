/** Whoever has a share: `at` (milliseconds) and `id` decide between equal remainders, earliest first. */
export interface Share {
  readonly id: string;
  readonly at: number;
  readonly weight: bigint;
}

/**
 * Splits `total` by weight to the last unit with the largest-remainder method; parts stand in the order of the shares.
 * Throws RangeError when there is something to split and nobody has weight (design D13).
 */
export function largestRemainder(total: bigint, shares: readonly Share[]): bigint[] {
  const weights = shares.reduce((sum, share) => sum + share.weight, 0n);
  if (total < 0n || shares.some((share) => share.weight < 0n)) throw new RangeError('only natural numbers are split');
  if (total === 0n) return shares.map(() => 0n);
  if (weights === 0n) throw new RangeError('nobody has a share of the total');

  const parts = shares.map((share) => (total * share.weight) / weights);
  const remainders = shares.map((share, index) => ({ share, index, left: (total * share.weight) % weights }));
  const missing = total - parts.reduce((sum, part) => sum + part, 0n);
  for (const { index } of remainders.sort(byRemainder).slice(0, Number(missing)))
    parts[index] = (parts[index] ?? 0n) + 1n;
  return parts;
}

interface Remainder {
  readonly share: Share;
  readonly left: bigint;
}

function byRemainder(a: Remainder, b: Remainder): number {
  if (a.left !== b.left) return a.left > b.left ? -1 : 1;
  if (a.share.at !== b.share.at) return a.share.at - b.share.at;
  return a.share.id < b.share.id ? -1 : 1;
}
