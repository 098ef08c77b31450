/**
 * Asks again with every call, but answers what was known before, so that nobody waits for the ledger or fails with it once it has
 * answered. Only the first call rejects; later failures are told to `onDelay`.
 */
export function lastKnown<Known>(ask: () => Promise<Known>, onDelay: (error: unknown) => void): () => Promise<Known> {
  let known: { readonly answer: Known } | null = null;
  let asking: Promise<Known> | null = null;

  async function askOnce(): Promise<Known> {
    try {
      const answer = await ask();
      known = { answer };
      return answer;
    } finally {
      asking = null;
    }
  }

  return () => {
    if (asking === null) {
      asking = askOnce();
      if (known !== null) asking.catch(onDelay);
    }
    return known === null ? asking : Promise.resolve(known.answer);
  };
}
