/** Calls a function at once, or as soon as the interval since its last call has passed; all requests meanwhile share that call. */
export interface Throttle {
  /** With `notBeforeMs`, not before so many milliseconds have passed. */
  request(notBeforeMs?: number): void;
  /** Makes the call that is due later now. */
  readonly flush: () => void;
}

export function createThrottle(call: () => void, intervalMs: number): Throttle {
  let last = -Infinity;
  let due: { readonly at: number; readonly timer: NodeJS.Timeout } | null = null;

  function callNow(): void {
    clearTimeout(due?.timer);
    due = null;
    last = performance.now();
    call();
  }

  return {
    request(notBeforeMs = 0) {
      const now = performance.now();
      const at = Math.max(last + intervalMs, now + notBeforeMs);
      if (due !== null && due.at >= at) return;
      clearTimeout(due?.timer);
      // A timer may be a millisecond early.
      if (at <= now) callNow();
      else due = { at, timer: setTimeout(callNow, Math.ceil(at - now) + 1) };
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

/** The wakes of a lane: each is written with a delay, and delivered once that has passed. */
export interface Wakes {
  /** For how many milliseconds the relay is to leave the next one where it is. */
  readonly delayMs: () => number;
  /** Delivers what was written before. */
  readonly deliver: () => void;
  /** Makes the delivery that is due later now. */
  readonly flush: () => void;
}

export function createWakes(deliver: () => void, intervalMs: number): Wakes {
  const spacedMs = createSpacing(intervalMs);
  const delivery = createThrottle(deliver, intervalMs);
  let delayMs = 0;
  return {
    delayMs: () => (delayMs = spacedMs()),
    deliver() {
      // Counted from now, which is after it was written: a delivery before its time would leave it to whoever delivers next.
      delivery.request(delayMs);
      delayMs = 0;
    },
    flush: delivery.flush,
  };
}
