import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from './rules/caller.ts';
import type { Clock } from '../platform/units/clock.ts';
import { type Instant, instant } from '../platform/units/instant.ts';
import type { Db } from '../platform/database/database.ts';
import type { SessionWithRoles } from './queries/session-lookup.ts';
import { recordSessionUse, type Session } from './queries/sessions.ts';
import type { CredentialCache, Currency } from './credential-cache.ts';

/** A session ends after an hour without use, and after twelve hours in every case. Wall time (design D38). */
const idleMs = 60 * 60_000;
const longestMs = 12 * 60 * 60_000;
/** A use is written at most this often per session, so the hour without use may start up to a minute before the last use. */
const useRecordedEveryMs = 60_000;

export type CurrentSession = Pick<SessionWithRoles, 'id' | 'wallet' | 'roles' | 'expiresAt'>;

/** Why a header names no live session. */
export interface SessionRefusal {
  readonly reason: 'unknown' | 'ended';
  /** The session whose token it is, while it is stored. */
  readonly session: Pick<SessionWithRoles, 'id' | 'wallet'> | null;
}

/**
 * Whether a caller does something now, or is only followed by a connection that stays open: an unattended page keeps no session alive
 * (docs/decisions/2026-11-26-sessions-of-open-connections.md).
 */
export type Purpose = 'use' | 'follow';

interface SessionContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly cache: CredentialCache;
  readonly currency: Currency;
  readonly purpose: Purpose;
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

/** The session of an Authorization header, extended if this is a use of it; the refusal when the header names no live session. */
export async function currentSession(
  context: SessionContext,
  authorization: string,
): Promise<{ readonly session: CurrentSession } | { readonly refusal: SessionRefusal }> {
  const token = /^Bearer ([A-Za-z0-9_-]{43})$/i.exec(authorization)?.[1];
  const session =
    token === undefined ? null : await context.cache.findSession(hashSessionToken(token), context.currency);
  const now = context.clock.now();
  if (!session) return { refusal: { reason: 'unknown', session: null } };
  if (now >= session.expiresAt) return { refusal: { reason: 'ended', session } };
  const isRecorded = context.purpose === 'use' && now - session.lastUsedAt >= useRecordedEveryMs;
  if (isRecorded) await recordUse(context, session, now);
  return { session };
}

async function recordUse({ db, cache }: SessionContext, { id, endsAt }: Session, now: Instant): Promise<void> {
  await recordSessionUse(db, id, new Date(now), new Date(Math.min(now + idleMs, endsAt)));
  cache.forget({ kind: 'session', id });
}
