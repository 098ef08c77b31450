import type { Request } from 'express';
import { isApiKey } from '../../access/api-keys.ts';
import type { Authenticator } from '../../access/authentication.ts';
import type { Caller } from '../../access/rules.ts';
import { evictOldest } from '../async.ts';
import { ServiceError } from '../errors.ts';
import { credentialsOf, ipOf } from './client-address.ts';
import { digestOf, requireNotRefused } from './rate-limiter.ts';
import type { Handler } from './request-locals.ts';
import type { Clock } from '../units/time.ts';

/**
 * Records whose key and session the request carries. Throws RATE_LIMIT_EXCEEDED, without a query, for credentials that were not
 * seen before from an IP address that sent too many bad ones; a few sessions of a key that was seen are looked up all the same.
 */
export function authenticate(authenticator: Authenticator, clock: Clock): Handler {
  const failed = createFailedCredentials(clock);
  return async (request, response, next) => {
    const [apiKey, authorization] = [request.get('X-API-Key'), request.get('Authorization')];
    const isChecked = apiKey !== undefined && isApiKey(apiKey);
    if (isChecked) requireNotRefused(failed.refusedUntil(request), clock);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const freshness = isRead ? 'cached' : 'current';
    const authentication = await authenticator.authenticate({ apiKey, authorization }, freshness);
    const found = authentication.kind === 'valid' ? authentication : null;
    if (isChecked) failed.record(request, { caller: found?.caller ?? null, session: found?.sessionRefusal === null });
    response.locals.authentication = authentication;
    response.locals.recordSession = (token) => {
      failed.recordSession(request, token);
    };
    next();
  };
}

export const requireKey: Handler = (_request, response, next) => {
  const { authentication } = response.locals;
  if (authentication?.kind !== 'valid') {
    const code = authentication?.kind === 'invalid' ? 'INVALID_API_KEY' : 'API_KEY_REQUIRED';
    throw new ServiceError(code, { header: 'X-API-Key' });
  }
  if (authentication.sessionRefusal) throw new ServiceError('INVALID_SESSION', { header: 'Authorization' });
  next();
};

type Headers = Pick<Request, 'get' | 'ip'>;

/** Which of a request's credentials were found. */
interface Found {
  /** Whose key it is; null for a key that was not found. */
  readonly caller: Caller | null;
  /** Also true for a request that names no session. */
  readonly session: boolean;
}

/** Bounds the look-ups that headers which name no key or session can cause. */
interface FailedCredentials {
  /** When these credentials may be looked up; null for now, which the bound counts. */
  readonly refusedUntil: (request: Headers) => Date | null;
  /** Records whether a request's credentials were found. */
  readonly record: (request: Headers, found: Found) => void;
  /** Records the session that the service has given to the caller of a request. */
  readonly recordSession: (request: Headers, token: string) => void;
}

/**
 * Credentials of one IP address that may fail in a window; after that those are looked up that were found before, and a few sessions
 * of keys that were found before: whoever shares the address can still log in.
 */
const MAX_FAILURES = 100;
const WINDOW_MS = 60_000;
const MAX_SESSIONS_OF_KEY = 20;
const SESSIONS_WINDOW_MS = 1_000;
/** Of addresses, keys, and credentials that were found; the longest-known are forgotten first. */
const MAX_ENTRIES = 10_000;

interface Window {
  readonly count: number;
  readonly endsAt: number;
}

/** Kept in the process: each look-up that it refuses costs no query. */
export function createFailedCredentials(clock: Clock): FailedCredentials {
  const found = new Map<string, true>();
  const failures = new Map<string, Window>();
  const foundKeys = new Map<string, Window>();
  /** Where a caller was last recorded as found. It is the same for some seconds, and so are its credentials: hashing them again costs more. */
  const recorded = new WeakMap<Caller, string | undefined>();
  const current = (window: Window | undefined, length: number): Window => {
    const now = clock.now();
    // One that ends later than it can began before the clock went back.
    return window && now < window.endsAt && window.endsAt <= now + length ? window : { count: 0, endsAt: now + length };
  };
  const remember = <Entry>(entries: Map<string, Entry>, name: string, entry: Entry) => {
    entries.delete(name);
    entries.set(name, entry);
    evictOldest(entries, MAX_ENTRIES);
  };
  return {
    refusedUntil(request) {
      const failed = current(failures.get(ipOf(request)), WINDOW_MS);
      if (failed.count < MAX_FAILURES || found.has(digestOf(credentialsOf(request)))) return null;
      const key = keyDigest(request);
      const ofKey = foundKeys.get(key);
      if (!ofKey) return new Date(failed.endsAt);
      const sessions = current(ofKey, SESSIONS_WINDOW_MS);
      if (sessions.count >= MAX_SESSIONS_OF_KEY) return new Date(sessions.endsAt);
      foundKeys.set(key, { ...sessions, count: sessions.count + 1 });
      return null;
    },
    record(request, { caller, session }) {
      if (caller) {
        if (session && recorded.has(caller) && recorded.get(caller) === request.ip) return;
        const digest = keyDigest(request);
        remember(foundKeys, digest, foundKeys.get(digest) ?? { count: 0, endsAt: 0 });
      }
      const credentials = digestOf(credentialsOf(request));
      if (caller && session) {
        remember(found, credentials, true);
        recorded.set(caller, request.ip);
        return;
      }
      found.delete(credentials);
      const failed = current(failures.get(ipOf(request)), WINDOW_MS);
      failures.set(ipOf(request), { ...failed, count: failed.count + 1 });
      evictOldest(failures, MAX_ENTRIES);
    },
    recordSession(request, token) {
      remember(found, digestOf(credentialsOf(request, `Bearer ${token}`)), true);
    },
  };
}

function keyDigest(request: Headers): string {
  return digestOf(request.get('X-API-Key') ?? '');
}
