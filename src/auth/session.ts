import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../domain/units/clock.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import type { Db } from '../store/database.ts';
import { findSession, recordSessionUse, type Session } from '../store/sessions.ts';

/** A session ends when it was not used for an hour, and after twelve hours however much it was used. Wall time (design D38). */
const idleMs = 60 * 60_000;
const longestMs = 12 * 60 * 60_000;
/** A use is written at most this often per session, so an hour of silence is counted from up to a minute before the last use. */
const useNotedEveryMs = 60_000;

export type CurrentSession = Pick<Session, 'id' | 'wallet'>;

/** A new token: 256 random bits in base64url. Shown once; its hash is stored. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored instead of the token. A fast hash is right for 256 random bits. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** How long a session that starts `now` lives. */
export function lifeOfSession(now: Instant): Pick<Session, 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'endsAt'> {
  return { createdAt: now, lastUsedAt: now, expiresAt: instant(now + idleMs), endsAt: instant(now + longestMs) };
}

/** The session an Authorization header names, prolonged by this use; 'refused' for any other header. */
export async function currentSession(db: Db, clock: Clock, authorization: string): Promise<CurrentSession | 'refused'> {
  const token = /^Bearer ([A-Za-z0-9_-]{43})$/i.exec(authorization)?.[1];
  const session = token === undefined ? null : await findSession(db, hashSessionToken(token));
  const now = clock.now();
  if (!session || now >= session.expiresAt) return 'refused';
  if (now - session.lastUsedAt >= useNotedEveryMs) await noteUse(db, session, now);
  return session;
}

async function noteUse(db: Db, { id, endsAt }: Session, now: Instant): Promise<void> {
  await recordSessionUse(db, id, new Date(now), new Date(Math.min(now + idleMs, endsAt)));
}
