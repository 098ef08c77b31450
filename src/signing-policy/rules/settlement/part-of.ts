interface Part {
  readonly total: bigint;
  readonly part: bigint;
  readonly weight: bigint;
  /** The sum of the weights of all parts. */
  readonly weights: bigint;
}

/** Whether a part of a total is what its weight gives it, rounded down or up. */
export function isPartOf({ total, part, weight, weights }: Part): boolean {
  if (weights === 0n) return part === 0n;
  const least = (total * weight) / weights;
  return part === least || part === least + 1n;
}
