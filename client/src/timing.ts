const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** Time and randomness, which a test gives itself. */
export interface Timing {
  /** From 0 to 1, without 1. */
  readonly random: () => number;
  /** Resolves after this time, or as soon as the signal aborts. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Those of the platform. */
export const platformTiming: Timing = {
  random: () => Math.random(),
  pause: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
};

/**
 * Milliseconds before the next attempt after so many failed ones: up to 1 s, then twice as much each time, up to 30 s. Half of it is
 * random, so that the clients of a process that stopped do not all come back at once.
 */
export function delayAfter(failures: number, random: () => number): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  return Math.round((longest / 2) * (1 + random()));
}
