import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from './rules/caller.ts';
import type { Clock } from '../platform/units/clock.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type ApiKeyRow, findApiKey, recordApiKeyUse } from './queries/api-keys.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { isSecret, parseApiKey } from './api-key-format.ts';
import type { CredentialCache, Currency } from './credential-cache.ts';

/** `last_used_at` is written at most this often for each key. */
const useRecordedEveryMs = 60_000;

interface CheckContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly cache: CredentialCache;
  readonly environment: string;
  readonly currency: Currency;
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
  const stored = await context.cache.findKey(parts.id, context.currency);
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
export function endOfKey({ expires_at, revoked_at }: Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>): number {
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
