/** The quantile of the samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** p50, p99 and the maximum, in milliseconds. */
export function quantiles(samples: readonly number[]): string {
  const text = (share: number) => quantile(samples, share).toFixed(1);
  return `p50 ${text(0.5)} ms, p99 ${text(0.99)} ms, max ${text(1)} ms (n = ${samples.length})`;
}
