import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { requireMayActFor } from '../../src/access/rules.ts';
import type { LoginContext } from '../../src/access/sessions.ts';
import { createAuthenticator } from '../../src/access/authentication.ts';
import { type Clock, type Instant, instant } from '../../src/platform/units/time.ts';
import { apiReleases } from '../../src/versions/rules.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { ok, routeFor } from '../../src/platform/http/route.ts';
import { type ServerContext, createApp, type RouteLists } from '../../src/platform/http/app.ts';
import { clientAddresses } from '../../src/platform/http/client-address.ts';
import { type RateLimits, specRateLimits } from '../../src/platform/http/rate-limiter.ts';
import { sessionRoutes } from '../../src/access/routes/sessions.ts';
import { createAccessAudit } from '../../src/platform/http/access-audit.ts';
import { startServer } from '../../src/platform/http/server.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import type { Answer } from '../stack/api-client.ts';
import { testLog } from '../stack/test-log.ts';
import { fetchOf } from './fetch-of.ts';
import type { SignOptions, signingWallet } from './signing-wallet.ts';

type Context = ServerContext & LoginContext;

/** An operation that a caller performs for a wallet that it has to prove. */
const castVote = routeFor<Context>()({
  method: 'post',
  path: '/votes',
  operationId: 'castVote',
  summary: 'Vote for a wallet',
  permission: { resource: 'vote', action: 'CREATE' },
  body: z.strictObject({ wallet: z.string() }),
  kind: 'unrecorded change',
  responses: { 200: z.object({ onBehalfOf: z.string().nullable() }) },
  errors: [],
  handle: ({ body, caller }) => Promise.resolve(ok({ onBehalfOf: requireMayActFor(caller, body.wallet) ?? null })),
});

const routes: RouteLists<Context> = { api: [...sessionRoutes, castVote], dev: [], open: [] };
const request = fetchOf(routes);

interface Session {
  id: string;
  address: string;
  lastUsedAt: string;
  expiresAt: string;
  endsAt: string;
  current: boolean;
}
type LoggedIn = Session & { token: string };
interface SessionList {
  data: { sessions: Session[] };
  metadata: { pagination: unknown };
}

/** The login routes on a listening server, with a clock that tests advance. */
export async function authService(databaseUrl: string, limits: Partial<RateLimits> = {}) {
  let now: Instant = instant(Date.UTC(2026, 10, 20, 12));
  const clock: Clock = { now: () => now };
  const ids = createIds({ clock, random: randomBytes });
  const log = testLog('auth');
  const logger = createLogger({ service: 'auth' }, log);
  const db = openDatabase(databaseUrl, (error) => {
    logger.error({ error }, 'idle connection');
  });
  const unitOfWork = createUnitOfWork(db, productionClock(clock), ids);
  const authenticator = createAuthenticator({ db, clock, environment: 'test', defaultWalletRoles: [] });
  const context: Context = {
    db,
    authenticator,
    wallClock: clock,
    ids,
    logger,
    releases: apiReleases,
    unitOfWork,
    networkId: 0,
    publicOrigin: 'https://vaults.example',
  };
  const accessAudit = createAccessAudit({ unitOfWork, clock, logger });
  const app = createApp(context, routes, {
    accessAudit,
    addressOf: clientAddresses(0),
    corsOrigins: [],
    rpcOrigin: 'https://ledger.example',
    limits: { ...specRateLimits, perCaller: 1e6, perAdmin: 1e6, ...limits },
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });

  async function newApiKey(roles: string[] = []): Promise<string> {
    const text = formatApiKey({ environment: 'test', id: ids.next(), secret: randomBytes(32) });
    const { id, environment, secret } = parseApiKey(text)!;
    const stored = { id, environment, name: 'test', secretHash: hashSecret(secret), roles, createdBy: 'test' };
    await insertApiKey(db, { ...stored, createdAt: new Date(now) });
    return text;
  }
  const usualKey = await newApiKey();

  /** Calls an operation; returns the status and the body. */
  async function call<Body = unknown>(
    operation: string,
    { params = '', body, token, key = usualKey, authorization }: Call = {},
  ): Promise<Answer<Body>> {
    const { method, path } = routes.api.find(({ operationId }) => operationId === operation)!;
    const bearer = authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    const response = await request(`${server.url}/api/v1${path.replace(/:\w+/, params)}`, {
      method: method.toUpperCase(),
      headers: {
        'x-api-key': key,
        ...(bearer !== undefined && { authorization: bearer }),
        ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': 'the same' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const { status, headers } = response;
    const text = await response.text();
    return { status, headers, body: (text === '' ? undefined : JSON.parse(text)) as Body };
  }

  async function nonceFor(address: string): Promise<string> {
    const { status, body } = await call<{ data: { nonce: string } }>('createNonce', { body: { address } });
    if (status !== 201) throw new Error(`no nonce: ${JSON.stringify(body)}`);
    return body.data.nonce;
  }

  /** Builds a login body: `wallet` signs a nonce for `address`. `other` replaces single parts. */
  async function loginBody(wallet: Wallet, other: OtherLogin = {}) {
    const { address = wallet.address, timestamp = now, signs = {} } = other;
    const nonce = other.nonce ?? (await nonceFor(address));
    return { address, nonce, timestamp, ...wallet.signData(address, `${nonce}:${timestamp}`, signs) };
  }

  const logIn = (body: object) => call<{ data: LoggedIn }>('createSession', { body });
  /** Calls `listSessions` with a token. */
  const sessionsOf = (token: string) => call<SessionList>('listSessions', { token });

  return {
    db,
    clock,
    logger,
    unitOfWork,
    accessAudit,
    /** Writes the refusals that were counted. */
    writeAccesses: () => accessAudit.close(),
    call,
    nonceFor,
    loginBody,
    logIn,
    sessionsOf,
    newApiKey,
    logged: () => log.lines.join(''),
    async session(wallet: Wallet): Promise<LoggedIn> {
      const { status, body } = await logIn(await loginBody(wallet));
      if (status !== 201) throw new Error(`not logged in: ${JSON.stringify(body)}`);
      return body.data;
    },
    pass(ms: number) {
      now = instant(now + ms);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await db.destroy();
    },
  };
}

type Wallet = ReturnType<typeof signingWallet>;

interface OtherLogin {
  address?: string;
  nonce?: string;
  timestamp?: number;
  signs?: SignOptions;
}

interface Call {
  /** The value of the path's parameter. */
  params?: string;
  body?: unknown;
  token?: string;
  key?: string;
  authorization?: string;
}
