import type { Clock } from '../domain/units/clock.ts';
import { effectiveGrants, walletRoles } from '../domain/identity/roles.ts';
import { type ApiKeyRow, apiKeysById } from '../store/api-keys.ts';
import type { Db } from '../store/database.ts';
import { coalesce } from '../store/coalesce.ts';
import { liveApiKey } from './check-api-key.ts';
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

function callerOf(key: ApiKeyRow, session: CurrentSession | null): Caller {
  const grants = effectiveGrants(key, session && { roles: walletRoles });
  return { apiKeyId: key.id, ...grants, wallet: session?.wallet ?? null, sessionId: session?.id ?? null };
}
