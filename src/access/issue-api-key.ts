import { randomBytes } from 'node:crypto';
import { ServiceError } from '../platform/errors/errors.ts';
import { auditActorOf, type Caller } from './rules/caller.ts';
import { endOfGrant, mayGrant } from './rules/grants.ts';
import type { Grant } from './rules/roles.ts';
import { type Instant, instant } from '../platform/units/instant.ts';
import {
  type ApiKeyRow,
  hasSuccessor,
  insertApiKey,
  limitApiKey,
  lockApiKey,
  revokeApiKey,
} from './queries/api-keys.ts';
import { recordAudit } from './queries/audit-log.ts';
import { announceCredentialChange } from './queries/credential-changes.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { formatApiKey, hashSecret } from './api-key-format.ts';
import { endBootstrapKeys } from './bootstrap-keys.ts';
import { isLive, requireLiveKey } from './check-api-key.ts';

/** What the maker of a key decides. */
export interface ApiKeyParams extends Grant {
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
 * Replaces a key by a new one with the same grants; the old one ends after the overlap. The new one expires when the old one would
 * have, unless another time is given, and not after the key of the caller. Throws INVALID_API_KEY, API_KEY_NOT_FOUND, API_KEY_ENDED,
 * API_KEY_ALREADY_ROTATED and INSUFFICIENT_PERMISSIONS.
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

/** Ends a key at once. Throws INVALID_API_KEY, API_KEY_NOT_FOUND, API_KEY_ENDED, INSUFFICIENT_PERMISSIONS. */
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
  return endOfGrant(maker.expires_at && instant(maker.expires_at), requested, inherited);
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
