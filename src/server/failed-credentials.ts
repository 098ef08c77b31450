import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';
import type { Clock } from '../domain/units/clock.ts';
import { digestOf, forgetOldest } from './refused-callers.ts';

type Headers = Pick<Request, 'get' | 'ip'>;

/** Bounds the look-ups that headers which name no key or session can cause. */
export interface FailedCredentials {
  /** When these credentials may be looked up; null for now. */
  readonly refusedUntil: (request: Headers) => Date | null;
  /** Records whether a request's credentials were found. */
  readonly record: (request: Headers, isFound: boolean) => void;
}

/** Credentials of one IP address that may fail in a window; after that only those are looked up that were found before. */
const MAX_FAILURES = 100;
const WINDOW_MS = 60_000;
/** Of addresses, and of credentials that were found; the longest-known are forgotten first. */
const MAX_ENTRIES = 10_000;

/** Kept in the process: each look-up that it refuses costs no query. */
export function createFailedCredentials(clock: Clock): FailedCredentials {
  const found = new Map<string, true>();
  const failures = new Map<string, { readonly count: number; readonly endsAt: number }>();
  const failuresOf = (ip: string) => {
    const ofIp = failures.get(ip);
    return ofIp && clock.now() < ofIp.endsAt ? ofIp : { count: 0, endsAt: clock.now() + WINDOW_MS };
  };
  return {
    refusedUntil(request) {
      const { count, endsAt } = failuresOf(ipOf(request));
      return count < MAX_FAILURES || found.has(digestOf(credentialsOf(request))) ? null : new Date(endsAt);
    },
    record(request, isFound) {
      const credentials = digestOf(credentialsOf(request));
      found.delete(credentials);
      if (isFound) {
        found.set(credentials, true);
        forgetOldest(found, MAX_ENTRIES);
        return;
      }
      const ip = ipOf(request);
      const { count, endsAt } = failuresOf(ip);
      failures.set(ip, { count: count + 1, endsAt });
      forgetOldest(failures, MAX_ENTRIES);
    },
  };
}

/** The headers that identify a caller, and its IP address. */
export function credentialsOf(request: Headers): string {
  return JSON.stringify([request.get('X-API-Key'), request.get('Authorization'), request.ip]);
}

/** The IP address of a request, or the network of an IPv6 address. */
export function ipOf(request: Headers): string {
  return ipKeyGenerator(request.ip ?? 'unknown');
}
