import { randomBytes, createHash } from 'node:crypto';
import type { CredentialCache, Freshness } from './credential-cache.ts';
import { announceCredentialChange } from './queries/api-keys.ts';
import { recordAudit } from './queries/audit-log.ts';
import {
  insertNonce,
  type Nonce,
  consumeNonce,
  insertSession,
  type Session,
  type SessionWithRoles,
  recordSessionUse,
  deleteSession,
  leastRecentSessions,
} from './queries/sessions.ts';
import type { Caller } from './rules.ts';
import { verifyDataSignature } from '../cardano/keys/data-signature.ts';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { KeyHash, NetworkId } from '../cardano/transaction.ts';
import type { Db } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext, UnitOfWork } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Clock, type Instant, instant } from '../platform/units/time.ts';
import type { Ids } from '../platform/units/ids.ts';

export interface LoginContext {
  readonly db: Db;
  /** Wallets sign at wall time, so nonces and signatures expire by it. */
  readonly wallClock: Clock;
  readonly ids: Ids;
  readonly unitOfWork: UnitOfWork;
  readonly networkId: NetworkId;
  /** Where frontends reach the service: a wallet shows it to whoever logs in. */
  readonly publicOrigin: string;
}

/** A login request. The wallet signs `<nonce>:<timestamp>` (spec, "Authentication" 3). */
interface Login {
  readonly address: string;
  readonly nonce: string;
  /** COSE_Sign1 and COSE_Key in CBOR hex, as CIP-30 `signData` returns them. */
  readonly signature: string;
  readonly key: string;
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
}

const signatureLifeMs = 5 * 60_000;
/** How far the clock of a wallet may be ahead of the server's. */
const clockSkewMs = 30_000;

/** Stores a new nonce that the wallet can sign for five minutes. */
export async function issueNonce(context: LoginContext, address: string): Promise<Nonce> {
  const { db, wallClock, networkId } = context;
  const { address: wallet } = parseWalletAddress(address, networkId, 'address');
  const expiresAt = instant(wallClock.now() + signatureLifeMs);
  const nonce = { nonce: purposeOf(context) + randomBytes(16).toString('hex'), wallet, expiresAt };
  await insertNonce(db, nonce);
  return nonce;
}

/** The text before the random part of a nonce. What a wallet signs for another service, or for another purpose, is no login here. */
function purposeOf({ publicOrigin }: LoginContext): string {
  return `Log in to ${publicOrigin}, nonce `;
}

/**
 * Starts a session of the wallet that signed, and ends those of its sessions that are too many. Only the hash of the returned token is
 * stored. Every attempt consumes the nonce.
 */
export async function logIn(
  context: LoginContext,
  login: Login,
  apiKeyId: string,
): Promise<{ session: Session; token: string; ended: readonly string[] }> {
  const { db, wallClock, ids, unitOfWork, networkId } = context;
  const nonce = await consumeNonce(db, login.nonce);
  const now = wallClock.now();
  const { address: wallet } = parseWalletAddress(login.address, networkId, 'address');
  // The nonce expires before the signature does: a late wallet gets SIGNATURE_EXPIRED instead of INVALID_NONCE.
  requireValidTimestamp(login.timestamp, now);
  requireValidNonce(nonce, { wallet, now, purpose: purposeOf(context) });
  const keyHash = verifySignature(login, networkId);

  const token = newSessionToken();
  const session = { id: ids.next(), wallet, keyHash, ...sessionTimes(now) };
  const ended = await unitOfWork(async (transaction) => {
    const surplus = await endSurplusSessions(transaction, { wallet, now, apiKeyId });
    await insertSession(transaction.tx, session, hashSessionToken(token));
    const actor = { id: wallet, type: 'WALLET' } as const;
    const resource = { type: 'session', id: session.id };
    await recordAudit(transaction, { action: 'SESSION_STARTED', actor, resource, metadata: { apiKeyId } });
    return surplus;
  });
  return { session, token, ended };
}

interface Attempt {
  readonly wallet: string;
  readonly now: Instant;
  readonly purpose: string;
}

/** A nonce of another origin of the service does not say what the wallet signed it for. */
function requireValidNonce(nonce: Nonce | null, { wallet, now, purpose }: Attempt): void {
  const isValid = nonce?.wallet === wallet && now < nonce.expiresAt && nonce.nonce.startsWith(purpose);
  if (!isValid) throw new ServiceError('INVALID_NONCE');
}

function requireValidTimestamp(timestamp: number, now: Instant): void {
  if (now - timestamp > signatureLifeMs) throw new ServiceError('SIGNATURE_EXPIRED');
  if (timestamp - now > clockSkewMs) throw new ServiceError('SIGNATURE_NOT_YET_VALID');
}

function verifySignature({ address, nonce, timestamp, signature, key }: Login, networkId: NetworkId): KeyHash {
  const signer = verifyDataSignature({ address, payload: `${nonce}:${timestamp}`, signature, key }, networkId);
  if (typeof signer === 'string') throw new ServiceError('INVALID_LOGIN_SIGNATURE', { reason: signer });
  return signer.keyHash;
}

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
 * (docs/adr/0023-access.md).
 */
export type Purpose = 'use' | 'follow';

interface SessionContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly cache: CredentialCache;
  readonly freshness: Freshness;
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

/** The session of the caller. */
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
    token === undefined ? null : await context.cache.findSession(hashSessionToken(token), context.freshness);
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

interface EndSession {
  /** The wallet of the session. */
  readonly wallet: string;
  readonly sessionId: string;
  /** The key of the request, for the audit log. */
  readonly apiKeyId: string;
}

/** Ends a session of the wallet; its token is invalid from then on. */
export async function endSession(
  context: TransactionContext,
  { wallet, sessionId, apiKeyId }: EndSession,
): Promise<void> {
  if (!(await deleteSession(context.tx, wallet, sessionId))) throw new ServiceError('SESSION_NOT_FOUND');
  await announceCredentialChange(context.tx, { kind: 'session', id: sessionId });
  const actor = { id: wallet, type: 'WALLET' } as const;
  const resource = { type: 'session', id: sessionId };
  await recordAudit(context, { action: 'SESSION_ENDED', actor, resource, metadata: { apiKeyId } });
}

/** Live ones of a wallet. */
const MAX_SESSIONS = 20;

interface NewSession {
  readonly wallet: string;
  readonly now: Instant;
  /** The key of the request, for the audit log. */
  readonly apiKeyId: string;
}

/**
 * Makes room for one more session of a wallet: ends those that were used the longest ago, and returns their ids. Logins of one wallet
 * take turns, so none of them misses the session of another.
 */
async function endSurplusSessions(
  transaction: TransactionContext,
  { wallet, now, apiKeyId }: NewSession,
): Promise<readonly string[]> {
  await lockExclusive(transaction.tx, `sessions:${wallet}`);
  const surplus = await leastRecentSessions(transaction.tx, wallet, new Date(now), MAX_SESSIONS - 1);
  for (const sessionId of surplus) await endSession(transaction, { wallet, sessionId, apiKeyId });
  return surplus;
}
