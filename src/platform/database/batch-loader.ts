import DataLoader from 'dataloader';

/**
 * Loads values by key: one call of `load`, for all keys that callers need in the same turn of the event loop. Nothing is cached. Gives null
 * for a key without a value. An Error in the place of a value rejects its own callers only.
 */
export function batchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value | Error | null>>,
): (key: string) => Promise<Value | null> {
  const loader = new DataLoader<string, Value | null>(
    async (keys) => {
      const found = await load([...new Set(keys)]);
      return keys.map((key) => found.get(key) ?? null);
    },
    // Requests of other connections that arrive in this turn join.
    { cache: false, batchScheduleFn: (dispatch) => void setImmediate(dispatch) },
  );
  return (key) => loader.load(key);
}
