/** A participant with a weight; of equal remainders the earliest `at` (milliseconds) comes first, then the smallest `id`. */
export interface Share {
  readonly id: string;
  readonly at: number;
  readonly weight: bigint;
  /** A participant with this much gets no left-over unit; the next in order gets it. */
  readonly limit?: bigint;
}

/**
 * Splits `total` by weight to the last unit with the largest-remainder method; parts are in the order of the shares.
 * Throws RangeError when a part of the total can be given to nobody (design D13).
 */
export function largestRemainder(total: bigint, shares: readonly Share[]): bigint[] {
  const weights = shares.reduce((sum, share) => sum + share.weight, 0n);
  if (total < 0n || shares.some((share) => share.weight < 0n))
    throw new RangeError('totals and weights cannot be negative');
  if (total === 0n) return shares.map(() => 0n);
  if (weights === 0n) throw new RangeError('nobody has a share of the total');

  const parts = shares.map((share) => (total * share.weight) / weights);
  const remainders = shares.map((share, index) => ({ share, index, left: (total * share.weight) % weights }));
  const inOrder = remainders.sort(byRemainder);
  let missing = total - parts.reduce((sum, part) => sum + part, 0n);
  while (missing > 0n) {
    const takers = inOrder.filter(({ share, index }) => mayTakeOneMore(share, parts[index])).slice(0, Number(missing));
    if (takers.length === 0) throw new RangeError('the limits of all participants add up to less than the total');
    for (const { index } of takers) parts[index] = (parts[index] ?? 0n) + 1n;
    missing -= BigInt(takers.length);
  }
  return parts;
}

function mayTakeOneMore({ limit }: Share, part = 0n): boolean {
  return limit === undefined || part < limit;
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
