/** Calls a function at once, or as soon as the interval since its last call has passed; all requests meanwhile share that call. */
export interface Throttle {
  request(): void;
  /** Makes the call that is due later now. */
  flush(): void;
}

export function createThrottle(call: () => void, intervalMs: number): Throttle {
  let last = -Infinity;
  let due: NodeJS.Timeout | null = null;

  function callNow(): void {
    if (due !== null) clearTimeout(due);
    due = null;
    last = performance.now();
    call();
  }

  return {
    request() {
      if (due !== null) return;
      const waitMs = last + intervalMs - performance.now();
      if (waitMs <= 0) callNow();
      else due = setTimeout(callNow, waitMs);
    },
    flush() {
      if (due !== null) callNow();
    },
  };
}

/**
 * Spaces messages: returns for each the milliseconds that it has to wait, so that those of an interval come together at the start of the
 * next one. The first after a pause waits for nothing.
 */
export function createSpacing(intervalMs: number): () => number {
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (now >= last + intervalMs) last = now;
    return last === now ? 0 : last + intervalMs - now;
  };
}
