/**
 * Remembers the last result of `read`. Each call reads again, but returns the last result at once, so that after the first success
 * no caller waits for the ledger or fails with it. Calls reject only before the first success; later errors go to `onDelay`.
 */
export function lastKnown<Value>(read: () => Promise<Value>, onDelay: (error: unknown) => void): () => Promise<Value> {
  let known: { readonly value: Value } | null = null;
  let reading: Promise<Value> | null = null;

  async function readOnce(): Promise<Value> {
    try {
      const value = await read();
      known = { value };
      return value;
    } finally {
      reading = null;
    }
  }

  return () => {
    if (reading === null) {
      reading = readOnce();
      if (known !== null) reading.catch(onDelay);
    }
    return known === null ? reading : Promise.resolve(known.value);
  };
}
