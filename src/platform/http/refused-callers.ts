import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { forgetOldest } from '../async.ts';
import type { Clock } from '../units/time.ts';

/** Callers above their limit, kept in the process so that refusing them again costs no query. */
export interface RefusedCallers {
  /** When a caller may try again; null for a caller that is not known as refused. Who it is is not asked while there is none. */
  readonly refusedUntil: (nameOf: () => string) => Date | null;
  readonly add: (caller: string, until: Date) => void;
}

/** The longest-known callers are forgotten first; each then costs one query. */
const MAX_CALLERS = 10_000;
/** After that long the caller is counted again, because its limit may have been raised meanwhile. */
const REMEMBERED_MS = 10_000;

export function createRefusedCallers(clock: Clock): RefusedCallers {
  const refused = new Map<string, { readonly until: Date; readonly since: number }>();
  return {
    refusedUntil(nameOf) {
      if (refused.size === 0) return null;
      const digest = digestOf(nameOf());
      const entry = refused.get(digest);
      if (!entry) return null;
      const now = clock.now();
      // A clock that goes back makes nobody wait for longer.
      if (entry.since <= now && now < Math.min(entry.until.getTime(), entry.since + REMEMBERED_MS)) return entry.until;
      refused.delete(digest);
      return null;
    },
    add(caller, until) {
      const digest = digestOf(caller);
      refused.delete(digest);
      refused.set(digest, { until, since: clock.now() });
      forgetOldest(refused, MAX_CALLERS);
    },
  };
}

/** Callers are kept by a digest: their headers hold secrets, and may be long. */
export function digestOf(caller: string): string {
  return hash('sha256', caller, 'base64url');
}

/** Throws RATE_LIMIT_EXCEEDED for a caller that is refused until an instant; null refuses nothing. */
export function requireNotRefused(until: Date | null, clock: Clock): void {
  if (until === null) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - clock.now()) / 1000));
  throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds });
}
