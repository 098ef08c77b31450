/** Calls `ask` when its result is first wanted, and never again. */
export function memoize<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  return () => (asking ??= ask());
}

/** Keeps a map to its newest entries; called after each entry that is added. */
export function evictOldest(entries: Map<string, unknown>, limit: number): void {
  const [oldest] = entries.keys();
  if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
}

/** The results for all items, in their order; `size` items are worked on at once. Rejects when one fails, before the next batch. */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  act: (item: Item, position: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += size) {
    const batch = items.slice(first, first + size).map((item, at) => act(item, first + at));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

/** Work that runs once at a time: whoever asks while it runs shares its result, and the next one who asks runs it again. */
export function singleFlight<Asked extends readonly unknown[], Result>(
  work: (...asked: Asked) => Promise<Result>,
): (...asked: Asked) => Promise<Result> {
  let running: Promise<Result> | null = null;
  // `finally` is late on purpose: work that ends before its first `await` must not be forgotten before it is remembered.
  return (...asked) => (running ??= work(...asked).finally(() => (running = null)));
}
