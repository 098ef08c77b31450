import type { Request } from 'express';
import type { Authentication } from '../../access/authentication.ts';
import { forgetOldest } from '../async/forget-oldest.ts';
import { credentialsOf } from './failed-credentials.ts';
import type { CountedRequest, LeasedCount } from './leased-counts.ts';
import { digestOf } from './refused-callers.ts';

type Valid = Extract<Authentication, { kind: 'valid' }>;
type Count = (request: CountedRequest) => Promise<LeasedCount>;

/**
 * Counts of requests that begin while their credentials are looked up, for credentials that were valid when they were last used. A
 * request that turns out to be somebody else's, because a key or session has changed, is counted again.
 */
export interface EarlyCounts {
  /** Whom the credentials were valid for; null when that is not known. */
  readonly lastKnown: (request: Request) => Valid | null;
  readonly remember: (request: Request, authentication: Valid) => void;
  readonly begin: (request: Request, asked: CountedRequest) => void;
  /** Counts a request whose caller is known now, unless that has begun. */
  readonly count: (request: Request, asked: CountedRequest) => Promise<LeasedCount>;
}

/** The ones used the longest ago are forgotten first. */
const MAX_REMEMBERED = 1_000;

export function createEarlyCounts(count: Count): EarlyCounts {
  const known = new Map<string, Valid>();
  const begun = new WeakMap<Request, { readonly asked: CountedRequest; readonly counting: Promise<LeasedCount> }>();
  const nameOf = (request: Request) => digestOf(credentialsOf(request));
  return {
    lastKnown: (request) => known.get(nameOf(request)) ?? null,
    remember(request, authentication) {
      const name = nameOf(request);
      known.delete(name);
      known.set(name, authentication);
      forgetOldest(known, MAX_REMEMBERED);
    },
    begin(request, asked) {
      const counting = count(asked);
      // Whoever waits for the count hears of it.
      counting.catch(() => undefined);
      begun.set(request, { asked, counting });
    },
    count(request, asked) {
      const early = begun.get(request);
      return early && isSame(early.asked, asked) ? early.counting : count(asked);
    },
  };
}

function isSame(one: CountedRequest, other: CountedRequest): boolean {
  const names = ['caller', 'visitor', 'limit', 'isRaised'] as const;
  return names.every((name) => one[name] === other[name]);
}
