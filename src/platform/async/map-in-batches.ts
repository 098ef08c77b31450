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
