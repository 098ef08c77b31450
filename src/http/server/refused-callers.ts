import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/units/clock.ts';

/** Callers above their limit, kept in the process so that refusing them again costs no query. */
export interface RefusedCallers {
  /** Seconds until a caller may try again; null for a caller that is not known as refused. */
  readonly secondsLeft: (caller: string) => number | null;
  readonly add: (caller: string, seconds: number) => void;
  readonly secondsUntil: (instant: Date) => number;
  readonly until: (seconds: number) => Date;
}

/** The longest-known callers are forgotten first; each then costs one query. */
const MAX_CALLERS = 10_000;
/** After that long the caller is counted again, because its limit may have been raised meanwhile. */
const REMEMBERED_MS = 10_000;

export function createRefusedCallers(clock: Clock): RefusedCallers {
  const refused = new Map<string, { readonly until: number; readonly forgetAt: number }>();
  const secondsUntil = (ms: number) => Math.max(1, Math.ceil((ms - clock.now()) / 1000));
  return {
    secondsLeft(caller) {
      const digest = digestOf(caller);
      const entry = refused.get(digest);
      if (!entry) return null;
      if (clock.now() < Math.min(entry.until, entry.forgetAt)) return secondsUntil(entry.until);
      refused.delete(digest);
      return null;
    },
    add(caller, seconds) {
      const digest = digestOf(caller);
      refused.delete(digest);
      refused.set(digest, { until: clock.now() + seconds * 1000, forgetAt: clock.now() + REMEMBERED_MS });
      const [oldest] = refused.keys();
      if (refused.size > MAX_CALLERS && oldest !== undefined) refused.delete(oldest);
    },
    secondsUntil: (instant) => secondsUntil(instant.getTime()),
    until: (seconds) => new Date(clock.now() + seconds * 1000),
  };
}

/** Callers are kept by a digest: their headers hold secrets, and may be long. */
function digestOf(caller: string): string {
  return createHash('sha256').update(caller).digest('base64url');
}
