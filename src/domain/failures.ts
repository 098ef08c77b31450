/** Throws an AggregateError of everything that failed, and `summary` or else the failures' own texts as its message. */
export function throwFailures(failures: readonly unknown[], summary = failures.map(String).join('; ')): void {
  if (failures.length > 0) throw new AggregateError(failures, summary);
}

/** Does something for all items, a few at once, and goes on past those that fail. Returns what failed. */
export async function settleAll<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<unknown>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let first = 0; first < items.length; first += atOnce)
    failures.push(...rejections(await Promise.allSettled(items.slice(first, first + atOnce).map(act))));
  return failures;
}

/** The reasons of the promises that were rejected. */
export function rejections(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
}
