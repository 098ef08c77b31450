import { checkApiKey, keyExpiry, type KeyRefusal, ensureBootstrapKey } from './api-keys.ts';
import { createCredentialCache, type Freshness } from './credential-cache.ts';
import { type ApiKeyRow, type CredentialChange, credentialChannel, parseCredentialChange } from './queries/api-keys.ts';
import { type Caller, effectiveGrants, walletRoles } from './rules.ts';
import { type CurrentSession, currentSession, type Purpose, type SessionRefusal } from './sessions.ts';
import type { Db } from '../platform/database/database.ts';
import { type Listening, listen } from '../platform/database/notifications.ts';
import type { UnitOfWork } from '../platform/database/unit-of-work.ts';
import type { Clock } from '../platform/units/time.ts';

/** The headers that identify a caller. */
export interface Credentials {
  readonly apiKey: string | undefined;
  /** `Bearer` and the token of a wallet session. */
  readonly authorization: string | undefined;
}

/** The result of checking the headers of a request. A caller whose session is refused has no wallet. */
export type Authentication =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly refusal: KeyRefusal }
  | {
      readonly kind: 'valid';
      readonly caller: Caller;
      readonly rateLimit: number | null;
      /** Null unless the request names a session that is not live. */
      readonly sessionRefusal: SessionRefusal | null;
      /** When the key or the session ends, unless it is used or changed before; Infinity if neither has an end. */
      readonly validUntil: number;
    };

/** Finds out who calls. */
export interface Authenticator {
  /** Keys of other environments are refused, and none are issued (design D47). */
  readonly environment: string;
  /** Roles of every wallet that is logged in, besides PARTICIPANT (design D47). */
  readonly defaultWalletRoles: readonly string[];
  /** Checks key and session by wall time. It never throws for a bad key or session. A use lets the session live for an hour from now. */
  readonly authenticate: (credentials: Credentials, freshness: Freshness, purpose?: Purpose) => Promise<Authentication>;
  /** To be called when a credential was changed, so that this process uses the new state at once; without a change for all of them. */
  readonly forget: (change?: CredentialChange) => void;
  /** Calls the listener after each `forget`, for connections that stay open. */
  readonly onForget: (listener: (change?: CredentialChange) => void) => void;
}

interface AuthenticatorOptions extends Pick<Authenticator, 'environment' | 'defaultWalletRoles'> {
  readonly db: Db;
  readonly clock: Clock;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { db, clock, environment, defaultWalletRoles } = options;
  const cache = createCredentialCache(db, clock);
  const callerOf = rememberedCallers(defaultWalletRoles);
  const listeners: ((change?: CredentialChange) => void)[] = [];
  return {
    environment,
    defaultWalletRoles,
    async authenticate({ apiKey, authorization }, freshness, purpose = 'use') {
      if (apiKey === undefined || apiKey === '') return { kind: 'missing' };
      const checked = await checkApiKey({ db, clock, cache, environment, freshness }, apiKey);
      if ('refusal' in checked) return { kind: 'invalid', ...checked };
      const { key } = checked;
      const context = { db, clock, cache, freshness, purpose };
      const current = authorization === undefined ? null : await currentSession(context, authorization);
      return validOf(key, current, callerOf);
    },
    forget: (change) => {
      cache.forget(change);
      for (const listener of listeners) listener(change);
    },
    onForget: (listener) => {
      listeners.push(listener);
    },
  };
}

function validOf(
  key: ApiKeyRow,
  current: Awaited<ReturnType<typeof currentSession>> | null,
  callerOfKey: (key: ApiKeyRow, session: CurrentSession | null) => Caller,
): Authentication {
  const session = current && 'session' in current ? current.session : null;
  return {
    kind: 'valid',
    caller: callerOfKey(key, session),
    rateLimit: key.rate_limit,
    sessionRefusal: current && 'refusal' in current ? current.refusal : null,
    validUntil: Math.min(keyExpiry(key), session?.expiresAt ?? Infinity),
  };
}

/** Puts a caller together once for each key and session as they were looked up. */
function rememberedCallers(defaultWalletRoles: readonly string[]) {
  const callers = new WeakMap<ApiKeyRow, WeakMap<ApiKeyRow | CurrentSession, Caller>>();
  return (key: ApiKeyRow, session: CurrentSession | null): Caller => {
    const ofKey = callers.get(key) ?? new WeakMap<ApiKeyRow | CurrentSession, Caller>();
    callers.set(key, ofKey);
    const caller = ofKey.get(session ?? key) ?? callerOf(key, session, defaultWalletRoles);
    ofKey.set(session ?? key, caller);
    return caller;
  };
}

function callerOf(key: ApiKeyRow, session: CurrentSession | null, defaultWalletRoles: readonly string[]): Caller {
  const roles = session && [...walletRoles, ...defaultWalletRoles, ...session.roles];
  const grants = effectiveGrants(key, roles && { roles });
  return { apiKeyId: key.id, ...grants, wallet: session?.wallet ?? null, sessionId: session?.id ?? null };
}

interface OpenOptions extends AuthenticatorOptions {
  readonly databaseUrl: string;
  readonly unitOfWork: UnitOfWork;
  /** The first ADMIN key. */
  readonly bootstrapAdminKey: string | undefined;
}

/**
 * The authenticator of a process, which hears what other processes change: a key or session is then looked up again. `onLost` is told
 * when it hears nothing for a while; changes then take effect after five seconds. Stores the bootstrap key.
 */
export async function openAuthenticator(
  { databaseUrl, unitOfWork, bootstrapAdminKey: text, ...options }: OpenOptions,
  onLost: (error: unknown) => void,
): Promise<{ authenticator: Authenticator; credentialChanges: Listening }> {
  const { clock, environment } = options;
  await ensureBootstrapKey({ unitOfWork, clock }, { text, environment });
  const authenticator = createAuthenticator(options);
  const credentialChanges = listen({
    databaseUrl,
    channel: credentialChannel,
    onMessage: (payload) => {
      authenticator.forget(parseCredentialChange(payload));
    },
    onListening: () => {
      authenticator.forget();
    },
    onLost,
  });
  return { authenticator, credentialChanges };
}
