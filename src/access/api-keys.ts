import { hash, timingSafeEqual, randomBytes } from 'node:crypto';
import type { CredentialCache, Freshness } from './credential-cache.ts';
import {
  type ApiKeyRow,
  hasSuccessor,
  insertApiKey,
  limitApiKey,
  lockApiKey,
  revokeApiKey,
  announceCredentialChange,
  bootstrapCreator,
  findApiKey,
  hasAdminKey,
  limitBootstrapKeys,
  recordApiKeyUse,
} from './queries/api-keys.ts';
import { recordAudit, type AuditEntry } from './queries/audit-log.ts';
import { auditActorOf, type Caller, grantExpiry, mayGrant, type Grant } from './rules.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { TransactionContext, UnitOfWork } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Clock, type Instant, instant } from '../platform/units/time.ts';

/** The parts of `vts_<env>_<id>_<secret>` (design D38). */
interface ApiKeyParts {
  readonly environment: string;
  /** 32 lower-case hex digits. */
  readonly id: string;
  /** 256 random bits in base64url. */
  readonly secret: string;
}

const shape = /^vts_([a-z0-9]{1,32})_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/;

export function isApiKey(text: string): boolean {
  return shape.test(text);
}

/** Parses the text of a key; returns null when it is no key. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const [, environment, id, secret] = shape.exec(text) ?? [];
  return environment && id && secret ? { environment, id, secret } : null;
}

/** Formats a new key: `id` is any UUID, `secret` 32 random bytes. Throws RangeError for other parts. */
export function formatApiKey({ environment, id, secret }: { environment: string; id: string; secret: Buffer }): string {
  const text = `vts_${environment}_${id.replaceAll('-', '')}_${secret.toString('base64url')}`;
  if (!shape.test(text))
    throw new RangeError('an API key has an environment of letters and digits, a UUID and 32 random bytes');
  return text;
}

/** The hash that is stored instead of the secret. A fast hash is safe for 256 random bits. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Whether the hash is that of the secret; compared in constant time. */
export function isSecret(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}

/** What the maker of a key decides. */
interface ApiKeyParams extends Grant {
  readonly name: string;
  readonly environment: string;
  /** Requests per window of the rate limiter; null for the limit of its roles. */
  readonly rateLimit: number | null;
  /** Absent for the end of its maker's key. */
  readonly expiresAt: Instant | undefined;
}

/** Who changes keys, and when: keys live by wall time. */
interface KeyChange {
  readonly caller: Caller;
  readonly now: Instant;
}

/** A new key. Its text is known only here: the hash of its secret is stored. */
interface IssuedKey {
  readonly id: string;
  readonly text: string;
}

/** Stores a new key. Throws INVALID_API_KEY, and INSUFFICIENT_PERMISSIONS when it could do what its maker may not, or for longer. */
export async function issueApiKey(
  context: TransactionContext,
  params: ApiKeyParams,
  change: KeyChange,
): Promise<IssuedKey> {
  requireMayGrant(change.caller, params);
  const expiresAt = await endOfNewKey(context, change, params.expiresAt, null);
  const issued = await storeNewKey(context, { ...params, expiresAt }, change);
  await audit(context, 'API_KEY_CREATED', issued.id, change, describe({ ...params, expiresAt }));
  const { environment, roles } = params;
  const [actor, metadata] = [auditActorOf(change.caller), { apiKeyId: change.caller.apiKeyId }];
  if (roles.includes('ADMIN')) await endBootstrapKeys(context, { environment, now: change.now, actor, metadata });
  return issued;
}

/**
 * Replaces a key by a new one with the same grants; the old one ends after the overlap. The new one expires when the old one would have,
 * unless another time is given, and not after the key of the caller.
 */
export async function rotateApiKey(
  context: TransactionContext,
  { id, overlapSeconds, expiresAt }: { id: string; overlapSeconds: number; expiresAt: Instant | undefined },
  change: KeyChange,
): Promise<IssuedKey> {
  const { tx } = context;
  const old = await lockLiveKey(context, id, change);
  if (await hasSuccessor(tx, id)) throw new ServiceError('API_KEY_ALREADY_ROTATED');
  const { name, environment, roles, permissions, rate_limit: rateLimit } = old;
  const oldEnd = old.expires_at && instant(old.expires_at);
  const end = await endOfNewKey(context, change, expiresAt, oldEnd);
  const params = { name, environment, roles, permissions, rateLimit, expiresAt: end };
  const issued = await storeNewKey(context, params, change, id);
  await limitApiKey(tx, id, new Date(change.now + overlapSeconds * 1000));
  await announceCredentialChange(tx, { kind: 'key', id });
  await audit(context, 'API_KEY_ROTATED', id, change, { replacedBy: issued.id, overlapSeconds });
  return issued;
}

/** Ends a key at once. */
export async function endApiKey(context: TransactionContext, id: string, change: KeyChange): Promise<void> {
  await requireLiveKey(context.tx, change.caller, change.now);
  await lockLiveKey(context, id, change);
  await revokeApiKey(context.tx, id, new Date(change.now));
  await announceCredentialChange(context.tx, { kind: 'key', id });
  await audit(context, 'API_KEY_REVOKED', id, change, {});
}

async function lockLiveKey({ tx }: TransactionContext, id: string, { caller, now }: KeyChange): Promise<ApiKeyRow> {
  const key = await lockApiKey(tx, id);
  if (!key) throw new ServiceError('API_KEY_NOT_FOUND');
  requireMayGrant(caller, key);
  if (!isLive(key, new Date(now))) throw new ServiceError('API_KEY_ENDED');
  return key;
}

function requireMayGrant({ permissions }: Caller, grant: Grant): void {
  if (mayGrant(permissions, grant)) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required: 'every role and permission of the key' });
}

/** When a new key ends, by the key of the caller as it is now. Throws INVALID_API_KEY, and INSUFFICIENT_PERMISSIONS for a later request. */
async function endOfNewKey(
  { tx }: TransactionContext,
  { caller, now }: KeyChange,
  requested: Instant | undefined,
  inherited: Instant | null,
): Promise<Instant | null> {
  const maker = await requireLiveKey(tx, caller, now);
  return grantExpiry(maker.expires_at && instant(maker.expires_at), requested, inherited);
}

type KeyToStore = Omit<ApiKeyParams, 'expiresAt'> & {
  /** Null for a key that does not expire. */
  readonly expiresAt: Instant | null;
};

async function storeNewKey(
  { tx, ids }: TransactionContext,
  params: KeyToStore,
  { caller, now }: KeyChange,
  replaces: string | null = null,
): Promise<IssuedKey> {
  const secret = randomBytes(32);
  const id = ids.next();
  const text = formatApiKey({ environment: params.environment, id, secret });
  const stored = {
    ...params,
    id: id.replaceAll('-', ''),
    secretHash: hashSecret(secret.toString('base64url')),
    createdBy: auditActorOf(caller).id,
    createdAt: new Date(now),
    expiresAt: params.expiresAt === null ? null : new Date(params.expiresAt),
    replaces,
  };
  if (!(await insertApiKey(tx, stored))) throw new Error(`the id ${stored.id} is taken`);
  return { id: stored.id, text };
}

function describe({ name, roles, permissions, rateLimit, expiresAt }: KeyToStore) {
  return { name, roles, permissions, rateLimit, expiresAt: expiresAt && new Date(expiresAt).toISOString() };
}

async function audit(
  context: TransactionContext,
  action: string,
  id: string,
  { caller }: KeyChange,
  metadata: object,
): Promise<void> {
  const resource = { type: 'apiKey', id };
  await recordAudit(context, {
    action,
    actor: auditActorOf(caller),
    resource,
    metadata: { ...metadata, apiKeyId: caller.apiKeyId },
  });
}

/** An API key from the configuration. */
interface ConfiguredKey {
  readonly text: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Requests per window of the rate limiter; the default of its roles when absent. */
  readonly rateLimit?: number;
}

interface EnsureContext {
  readonly unitOfWork: UnitOfWork;
  /** Keys live by wall time. */
  readonly clock: Clock;
}

/** Stores the key unless it is stored. Throws an Error when its text is no key, or when its id is stored with another secret. */
export async function ensureApiKey({ unitOfWork, clock }: EnsureContext, key: ConfiguredKey): Promise<void> {
  await unitOfWork((context) => storeKey(context, key, clock.now()));
}

/**
 * Stores the ADMIN key of the configuration, if there is one, as `ensureApiKey` does. Each start looks again whether those of before and this one
 * are still needed: they end in a day once there is another ADMIN key.
 */
export async function ensureBootstrapKey(
  { unitOfWork, clock }: EnsureContext,
  { text, environment }: { readonly text: string | undefined; readonly environment: string },
): Promise<void> {
  const now = clock.now();
  await unitOfWork(async (context) => {
    if (text !== undefined) await storeKey(context, { text, name: 'bootstrap admin', roles: ['ADMIN'] }, now);
    await endBootstrapKeys(context, { environment, now, actor });
  });
}

const actor = { id: bootstrapCreator, type: 'SYSTEM' } as const;

async function storeKey(context: TransactionContext, key: ConfiguredKey, now: Instant): Promise<void> {
  const { text, name, ...grants } = key;
  const parts = parseApiKey(text);
  if (!parts) throw new Error(`the ${name} key must look like vts_<env>_<id>_<secret>`);
  const { id, environment } = parts;
  const secretHash = hashSecret(parts.secret);
  const made = { createdBy: bootstrapCreator, createdAt: new Date(now) };
  if (await insertApiKey(context.tx, { id, environment, name, secretHash, ...grants, ...made })) {
    const resource = { type: 'apiKey', id };
    await recordAudit(context, { action: 'API_KEY_CREATED', actor, resource, metadata: { name, ...grants } });
    return;
  }
  const stored = await findApiKey(context.tx, id);
  if (!stored?.secret_hash.equals(secretHash)) throw new Error(`the ${name} key is stored with another secret`);
}

/** A key that is in the configuration, so also in files and histories of shells, is for making the first ADMIN key. */
const BOOTSTRAP_KEY_LIFE_MS = 86_400_000;
/** A key that ends sooner would soon leave nobody who may make keys: those that it makes end with it. */
const LASTING_MS = 30 * 86_400_000;
/** Of `npm start`, whose stack keeps the ADMIN key that it prints. */
const DEVELOPMENT = 'development';

/** When the keys of the configuration are looked at, by wall time, and for whom. */
interface Occasion {
  readonly environment: string;
  readonly now: Instant;
  readonly actor: AuditEntry['actor'];
  /** For the audit log. */
  readonly metadata?: object;
}

/** Lets the ADMIN keys of the configuration end in a day if there is another ADMIN key that lasts; one that ends sooner still does. */
async function endBootstrapKeys(context: TransactionContext, occasion: Occasion): Promise<void> {
  const { environment, now, actor, metadata } = occasion;
  if (environment === DEVELOPMENT) return;
  const lasting = { environment, at: new Date(now), until: new Date(now + LASTING_MS) };
  if (!(await hasAdminKey(context.tx, lasting))) return;
  const end = new Date(now + BOOTSTRAP_KEY_LIFE_MS);
  for (const id of await limitBootstrapKeys(context.tx, end)) {
    await announceCredentialChange(context.tx, { kind: 'key', id });
    const [action, resource] = ['BOOTSTRAP_KEY_LIMITED', { type: 'apiKey', id }];
    await recordAudit(context, { action, actor, resource, metadata: { expiresAt: end.toISOString(), ...metadata } });
  }
}

/** `last_used_at` is written at most this often for each key. */
const useRecordedEveryMs = 60_000;

interface CheckContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly cache: CredentialCache;
  readonly environment: string;
  readonly freshness: Freshness;
}

/** Why a text is no key that may be used here and now. */
export interface KeyRefusal {
  readonly reason: 'unknown' | 'other_environment' | 'wrong_secret' | 'ended';
  /** Of the stored key; `unknown` when there is none. */
  readonly keyId: string;
}

/** The stored key that a text is, if it may be used here and now. Keys of other environments may not, here or as stored (design D47). */
export async function checkApiKey(
  context: CheckContext,
  text: string,
): Promise<{ readonly key: ApiKeyRow } | { readonly refusal: KeyRefusal }> {
  const parts = parseApiKey(text);
  if (!parts) return refused('unknown');
  if (parts.environment !== context.environment) return refused('other_environment');
  const stored = await context.cache.findKey(parts.id, context.freshness);
  if (!stored) return refused('unknown');
  if (!isSecret(parts.secret, stored.secret_hash)) return refused('wrong_secret', stored.id);
  if (stored.environment !== context.environment) return refused('other_environment', stored.id);
  const now = new Date(context.clock.now());
  if (!isLive(stored, now)) return refused('ended', stored.id);
  await recordUse(context, stored, now);
  return { key: stored };
}

function refused(reason: KeyRefusal['reason'], keyId = 'unknown'): { readonly refusal: KeyRefusal } {
  return { refusal: { reason, keyId } };
}

/** Whether the key may be used at this time. */
export function isLive({ expires_at, revoked_at }: Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>, now: Date): boolean {
  return (expires_at === null || now < expires_at) && (revoked_at === null || now < revoked_at);
}

/** When the key ends as it is known now; Infinity if it does not. */
export function keyExpiry({ expires_at, revoked_at }: Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>): number {
  return Math.min(expires_at?.getTime() ?? Infinity, revoked_at?.getTime() ?? Infinity);
}

async function recordUse({ db, cache }: CheckContext, { id, last_used_at }: ApiKeyRow, now: Date): Promise<void> {
  const staleBefore = now.getTime() - useRecordedEveryMs;
  if (last_used_at !== null && last_used_at.getTime() >= staleBefore) return;
  await recordApiKeyUse(db, id, now, new Date(staleBefore));
  cache.forget({ kind: 'key', id });
}

/**
 * The caller's key as it is stored now, for changes that outlive it. Throws INVALID_API_KEY when it has ended: this process may have
 * admitted it as it was seconds ago.
 */
export async function requireLiveKey(tx: Transaction, { apiKeyId }: Caller, now: Instant): Promise<ApiKeyRow> {
  const key = await findApiKey(tx, apiKeyId);
  if (!key || !isLive(key, new Date(now))) throw new ServiceError('INVALID_API_KEY', { header: 'X-API-Key' });
  return key;
}
