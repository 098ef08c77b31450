import type { Clock } from '../domain/units/clock.ts';
import { effectiveGrants, walletRoles } from '../domain/identity/permission.ts';
import { type ApiKeyRow, apiKeysById, recordApiKeyUse } from '../store/api-keys.ts';
import type { Db } from '../store/database.ts';
import { coalesce } from '../store/coalesce.ts';
import { isSecret, parseApiKey } from './api-key-format.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { type CurrentSession, currentSession } from './session.ts';

/** The headers that identify a caller. */
interface Credentials {
  readonly apiKey: string | undefined;
  /** `Bearer` and the token of a wallet session. */
  readonly authorization: string | undefined;
}

/** The result of checking the headers of a request. A caller whose session is refused has no wallet. */
export type Authentication =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' }
  | {
      readonly kind: 'valid';
      readonly caller: Caller;
      readonly rateLimit: number | null;
      readonly isSessionRefused: boolean;
    };

/** `last_used_at` is written at most this often for each key. */
const useRecordedEveryMs = 60_000;

/** Returns a function that finds key and session and checks them by wall time. It never throws for a bad key or session. */
export function createAuthentication(db: Db, clock: Clock): (credentials: Credentials) => Promise<Authentication> {
  const findKey = coalesce((ids: readonly string[]) => apiKeysById(db, ids));
  return async ({ apiKey, authorization }) => {
    if (apiKey === undefined || apiKey === '') return { kind: 'missing' };
    const key = await liveApiKey(db, clock, apiKey, findKey);
    if (!key) return { kind: 'invalid' };
    const session = authorization === undefined ? null : await currentSession(db, clock, authorization);
    const caller = callerOf(key, session === 'refused' ? null : session);
    return { kind: 'valid', caller, rateLimit: key.rate_limit, isSessionRefused: session === 'refused' };
  };
}

async function liveApiKey(
  db: Db,
  clock: Clock,
  text: string,
  findKey: (id: string) => Promise<ApiKeyRow | undefined>,
): Promise<ApiKeyRow | null> {
  const parts = parseApiKey(text);
  const stored = parts && (await findKey(parts.id));
  if (!stored || stored.environment !== parts.environment || !isSecret(parts.secret, stored.secret_hash)) {
    return null;
  }
  const now = new Date(clock.now());
  if (!isLive(stored, now)) return null;
  await recordUse(db, stored, now);
  return stored;
}

function isLive({ expires_at, revoked_at }: ApiKeyRow, now: Date): boolean {
  return (expires_at === null || now < expires_at) && (revoked_at === null || now < revoked_at);
}

async function recordUse(db: Db, { id, last_used_at }: ApiKeyRow, now: Date): Promise<void> {
  const staleBefore = new Date(now.getTime() - useRecordedEveryMs);
  if (last_used_at === null || last_used_at < staleBefore) await recordApiKeyUse(db, id, now, staleBefore);
}

function callerOf(key: ApiKeyRow, session: CurrentSession | null): Caller {
  const grants = effectiveGrants(key, session && { roles: walletRoles });
  return { apiKeyId: key.id, ...grants, wallet: session?.wallet ?? null, sessionId: session?.id ?? null };
}
