import { setTimeout as pause } from 'node:timers/promises';

/** A write whose locks somebody holds tries again after this time, in milliseconds. */
const POSTPONED_MS = 250;

/** Writes that are added to a later batch. */
export interface Postponed {
  readonly size: () => number;
  /** Does something a moment later; returns false when nothing is postponed any more. */
  readonly doLater: (act: () => void) => boolean;
  /** Postpones nothing any more, and resolves when all that was is done. */
  readonly close: () => Promise<void>;
}

export function createPostponed(): Postponed {
  const waiting = new Set<Promise<void>>();
  let isClosed = false;
  return {
    size: () => waiting.size,
    doLater(act) {
      if (isClosed) return false;
      const done = pause(POSTPONED_MS).then(act);
      waiting.add(done);
      void done.finally(() => waiting.delete(done));
      return true;
    },
    async close() {
      isClosed = true;
      await Promise.all(waiting);
    },
  };
}
