/** Throws an AggregateError of everything that failed, and `summary` or else the failures' own texts as its message. */
export function throwFailures(failures: readonly unknown[], summary = failures.map(String).join('; ')): void {
  if (failures.length > 0) throw new AggregateError(failures, summary);
}

/** The reasons of the promises that were rejected. */
export function rejections(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
}
