import type { Clock } from '../domain/clock.ts';
import { permissionsOf } from '../domain/permission.ts';
import { type ApiKeyRow, findApiKey, insertApiKey, recordApiKeyUse } from '../store/api-keys.ts';
import type { Db } from '../store/database.ts';
import { hashSecret, isSecret, parseApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';

/** What an X-API-Key header turned out to be. */
export type Authentication =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'valid'; readonly caller: Caller; readonly rateLimit: number | null };

/** `last_used_at` is written at most this often per key. */
const useNotedEveryMs = 60_000;

/** Looks a key up and checks secret, environment, expiry and revocation by wall time. Never throws for a bad key. */
export async function authenticate(db: Db, clock: Clock, header: string | undefined): Promise<Authentication> {
  if (header === undefined || header === '') return { kind: 'missing' };
  const parts = parseApiKey(header);
  const stored = parts && (await findApiKey(db, parts.id));
  if (!stored || stored.environment !== parts.environment || !isSecret(parts.secret, stored.secret_hash)) {
    return { kind: 'invalid' };
  }
  const now = new Date(clock.now());
  if (!isLive(stored, now)) return { kind: 'invalid' };
  await noteUse(db, stored, now);
  return { kind: 'valid', caller: callerOf(stored), rateLimit: stored.rate_limit };
}

/** Makes `keyText` an ADMIN key if it is not stored yet; throws when its id is stored with another secret. */
export async function ensureBootstrapAdminKey(db: Db, clock: Clock, keyText: string): Promise<void> {
  const parts = parseApiKey(keyText);
  if (!parts) throw new Error('the bootstrap admin key must look like vts_<env>_<id>_<secret>');
  const secretHash = hashSecret(parts.secret);
  const isNew = await insertApiKey(db, {
    id: parts.id,
    environment: parts.environment,
    name: 'bootstrap admin',
    secretHash,
    roles: ['ADMIN'],
    createdBy: 'bootstrap',
    createdAt: new Date(clock.now()),
  });
  if (isNew) return;
  const stored = await findApiKey(db, parts.id);
  if (!stored?.secret_hash.equals(secretHash)) {
    throw new Error('the bootstrap admin key is stored with another secret');
  }
}

function isLive({ expires_at, revoked_at }: ApiKeyRow, now: Date): boolean {
  return (expires_at === null || now < expires_at) && (revoked_at === null || now < revoked_at);
}

async function noteUse(db: Db, { id, last_used_at }: ApiKeyRow, now: Date): Promise<void> {
  const staleBefore = new Date(now.getTime() - useNotedEveryMs);
  if (last_used_at === null || last_used_at < staleBefore) await recordApiKeyUse(db, id, now, staleBefore);
}

function callerOf({ id, roles, permissions }: ApiKeyRow): Caller {
  return { apiKeyId: id, roles, permissions: [...permissionsOf(roles), ...permissions], wallet: null };
}
