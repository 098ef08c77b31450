import { oneAtATime } from '../platform/async/one-at-a-time.ts';

/**
 * Remembers the last result of `read`. Each call reads again, but returns the last result at once, so that after the first success
 * no caller waits for the ledger or fails with it. Calls reject only before the first success; later errors go to `onDelay`.
 */
export function lastKnown<Value>(read: () => Promise<Value>, onDelay: (error: unknown) => void): () => Promise<Value> {
  let known: { readonly value: Value } | null = null;
  const readOnce = oneAtATime(async () => {
    const value = await read();
    known = { value };
    return value;
  });
  const refresh = oneAtATime(() => readOnce().catch(onDelay));

  return () => {
    if (known === null) return readOnce();
    void refresh();
    return Promise.resolve(known.value);
  };
}
