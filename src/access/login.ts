import { randomBytes } from 'node:crypto';
import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { KeyHash, NetworkId } from '../cardano/transaction.ts';
import type { Clock } from '../platform/units/clock.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Ids } from '../platform/units/ids.ts';
import { type Instant, instant } from '../platform/units/instant.ts';
import { recordAudit } from './queries/audit-log.ts';
import type { Db } from '../platform/database/database.ts';
import { insertNonce, type Nonce, consumeNonce } from './queries/nonces.ts';
import { insertSession, type Session } from './queries/sessions.ts';
import type { UnitOfWork } from '../platform/database/unit-of-work.ts';
import { verifyDataSignature } from '../cardano/keys/verify-data-signature.ts';
import { endSurplusSessions } from './end-surplus-sessions.ts';
import { hashSessionToken, sessionTimes, newSessionToken } from './session.ts';

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
export interface Login {
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

/** Stores a new nonce that the wallet can sign for five minutes. Throws INVALID_ADDRESS, WRONG_NETWORK. */
export async function issueNonce(context: LoginContext, address: string): Promise<Nonce> {
  const { db, wallClock, networkId } = context;
  const { address: wallet } = parseWalletAddress(address, networkId, 'address');
  const expiresAt = instant(wallClock.now() + signatureLifeMs);
  const nonce = { nonce: purposeOf(context) + randomBytes(16).toString('hex'), wallet, expiresAt };
  await insertNonce(db, nonce);
  return nonce;
}

/** The text before the random part of a nonce. What a wallet signs for another service, or for another purpose, is no login here. */
function purposeOf({ publicOrigin }: Pick<LoginContext, 'publicOrigin'>): string {
  return `Log in to ${publicOrigin}, nonce `;
}

/**
 * Starts a session of the wallet that signed, and ends those of its sessions that are too many. Only the hash of the returned token is
 * stored. Every attempt consumes the nonce.
 * Throws INVALID_ADDRESS, WRONG_NETWORK, INVALID_NONCE, SIGNATURE_EXPIRED, SIGNATURE_NOT_YET_VALID, INVALID_LOGIN_SIGNATURE.
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
