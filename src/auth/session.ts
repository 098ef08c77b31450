import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { Clock } from '../domain/units/clock.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import type { Db } from '../store/database.ts';
import type { SessionWithRoles } from '../store/session-lookup.ts';
import { recordSessionUse, type Session } from '../store/sessions.ts';
import type { CredentialCache, Currency } from './credential-cache.ts';

/** A session ends after an hour without use, and after twelve hours in every case. Wall time (design D38). */
const idleMs = 60 * 60_000;
const longestMs = 12 * 60 * 60_000;
/** A use is written at most this often per session, so the hour without use may start up to a minute before the last use. */
const useRecordedEveryMs = 60_000;

export type CurrentSession = Pick<SessionWithRoles, 'id' | 'wallet' | 'roles'>;

interface SessionContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly cache: CredentialCache;
  readonly currency: Currency;
}

/** Returns a new token: 256 random bits in base64url. Only its hash is stored. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash that is stored instead of the token. A fast hash is safe for 256 random bits. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The times of a session that starts `now`. */
export function sessionTimes(now: Instant): Pick<Session, 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'endsAt'> {
  return { createdAt: now, lastUsedAt: now, expiresAt: instant(now + idleMs), endsAt: instant(now + longestMs) };
}

/** The session of the caller. Throws SESSION_REQUIRED. */
export function requireSession({ wallet, sessionId }: Caller): { wallet: string; sessionId: string } {
  if (wallet === null || sessionId === null)
    throw new ServiceError('SESSION_REQUIRED', { header: 'Authorization', value: 'Bearer <token of a session>' });
  return { wallet, sessionId };
}

/** The session of an Authorization header, extended by this use; 'refused' when the header names no live session. */
export async function currentSession(
  context: SessionContext,
  authorization: string,
): Promise<CurrentSession | 'refused'> {
  const token = /^Bearer ([A-Za-z0-9_-]{43})$/i.exec(authorization)?.[1];
  const session =
    token === undefined ? null : await context.cache.findSession(hashSessionToken(token), context.currency);
  const now = context.clock.now();
  if (!session || now >= session.expiresAt) return 'refused';
  if (now - session.lastUsedAt >= useRecordedEveryMs) await recordUse(context, session, now);
  return session;
}

async function recordUse({ db, cache }: SessionContext, { id, endsAt }: Session, now: Instant): Promise<void> {
  await recordSessionUse(db, id, new Date(now), new Date(Math.min(now + idleMs, endsAt)));
  cache.forget({ kind: 'session', id });
}
