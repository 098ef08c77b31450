import { mapInBatches } from '../async/map-in-batches.ts';

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
  await mapInBatches(items, atOnce, async (item) => {
    try {
      await act(item);
    } catch (error) {
      failures.push(error);
    }
  });
  return failures;
}

/** Runs tasks, as many as `atOnce` together, all of them whatever fails. Throws an AggregateError of what failed at the end. */
export async function runAll(tasks: readonly (() => Promise<unknown>)[], atOnce: number): Promise<void> {
  throwFailures(await settleAll(tasks, atOnce, (run) => run()));
}
