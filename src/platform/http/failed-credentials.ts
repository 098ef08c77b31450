import type { Request } from 'express';
import { forgetOldest } from '../async/forget-oldest.ts';
import type { Caller } from '../../access/rules/caller.ts';
import type { Clock } from '../units/clock.ts';
import { ipOf } from './client-address.ts';
import { digestOf } from './refused-callers.ts';

type Headers = Pick<Request, 'get' | 'ip'>;

/** Which of a request's credentials were found. */
interface Found {
  /** Whose key it is; null for a key that was not found. */
  readonly caller: Caller | null;
  /** Also true for a request that names no session. */
  readonly session: boolean;
}

/** Bounds the look-ups that headers which name no key or session can cause. */
export interface FailedCredentials {
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
    forgetOldest(entries, MAX_ENTRIES);
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
      forgetOldest(failures, MAX_ENTRIES);
    },
    recordSession(request, token) {
      remember(found, digestOf(credentialsOf(request, `Bearer ${token}`)), true);
    },
  };
}

function keyDigest(request: Headers): string {
  return digestOf(request.get('X-API-Key') ?? '');
}

/** The headers that identify a caller, and its IP address. */
export function credentialsOf(request: Headers, authorization = request.get('Authorization')): string {
  return JSON.stringify([request.get('X-API-Key'), authorization, request.ip]);
}
