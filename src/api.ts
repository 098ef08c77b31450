import type { DestinationStream } from 'pino';
import { type Authenticator, openAuthenticator } from './access/authentication.ts';
import { eventPages } from './events/asyncapi/routes.ts';
import type { ApiConfig } from './platform/config/api.ts';
import { wallClock } from './platform/units/time.ts';
import { apiReleases, apiVersion } from './versions/rules.ts';
import { startSequencer } from './events/sequencer.ts';
import { apiChecks } from './operations/routes/health.ts';
import { createReadiness } from './operations/routes/health/readiness.ts';
import { apiRoutes } from './routes.ts';
import { type AccessAudit, createAccessAudit } from './platform/http/access-audit.ts';
import { type AddressOf, clientAddresses } from './platform/http/client-address.ts';
import { type AppOptions, createApp } from './platform/http/app.ts';
import type { ApiContext } from './api-context.ts';
import { docsPage } from './platform/openapi/docs-page.ts';
import { withContracts } from './platform/openapi/route.ts';
import type { Concurrency } from './platform/http/concurrency.ts';
import { createMicroCache } from './platform/http/micro-cache.ts';
import type { Route } from './platform/http/route.ts';
import { type ServerOptions, startServer } from './platform/http/server.ts';
import { createLogger, type Logger, queuedOutput } from './platform/observability/logger.ts';
import { createMetrics } from './platform/observability/metrics.ts';
import { serveMetrics } from './platform/observability/metrics-server.ts';
import { observeRequests, stateMetrics } from './observe-requests.ts';
import { openPlatform, type Platform, warn } from './dependencies.ts';
import { serveEventSockets, SOCKET_PATH, openLive } from './events/live/open-live.ts';
import type { Live } from './events/live/live-context.ts';
import { createVoteBatcher } from './votes/routes/vote-batcher.ts';
import { type Db, openDatabase } from './platform/database/database.ts';
import { createEncryption } from './platform/database/encryption.ts';
import { openReadingClock, type ReadingClock } from './platform/database/reading-clock.ts';
import { createUnitOfWork } from './platform/database/unit-of-work.ts';
import { requirePrepared } from './platform/database/roles/prepare-database.ts';

/** Reads of the books of a vault at a time, and the longest that one of their statements may take. */
const [BOOK_READS, BOOK_STATEMENT_MS] = [2, 10_000];
/** Without its `v`. */
const openApiVersion = apiVersion.slice(1);

/** A running api. */
export interface RunningApi {
  readonly url: string;
  readonly metricsUrl: string;
  /** Lets running requests finish and their messages reach Temporal, then closes its connections. */
  close(): Promise<void>;
}

/** Operations under /dev, where to log, and how often the callers of open connections are looked up. */
export interface ApiExtras {
  readonly devRoutes?: readonly Route<ApiContext>[];
  readonly log?: DestinationStream;
  readonly checkEveryMs?: number;
}

/** Stores the bootstrap key and listens. Rejects without a port, and as `requirePrepared` does. */
export async function createApi(config: ApiConfig, extras: ApiExtras = {}): Promise<RunningApi> {
  const logger = createLogger({ service: 'api', level: config.logLevel }, extras.log ?? queuedOutput());
  await requirePrepared({ ...config, process: 'api' });
  const registry = createMetrics();
  const platform = openPlatform({ ...config, statementMs: statementMsOf(config) }, logger, registry);
  const { db, backgroundDb, unitOfWork, onUnreadable } = platform;
  const pools = openPools(config, logger);
  const onListenerLost = warn(logger, 'notifications of changed keys and sessions do not arrive');
  const credentials = { ...config, db, unitOfWork, clock: wallClock };
  const { authenticator, credentialChanges } = await openAuthenticator(credentials, onListenerLost);
  const shared = openShared(config, platform, logger);
  const live = await openLive({ ...config, ...extras, ...shared, logger, authenticator, onUnreadable });
  const closing: (() => Promise<void>)[] = [];
  const observer = observeRequests({ registry, db: backgroundDb, logger });
  const readingClock = openClock(config, platform, logger, shared.microCache.drop);
  const context = apiContext(config, { platform, readingClock, logger, pools, authenticator, live });
  const app = createApp(context, withContracts({ ...apiRoutes, dev: extras.devRoutes ?? [] }, openApiVersion), {
    ...appOptions(config),
    ...shared,
    onRequest: observer.observe,
    onClose: (close) => closing.push(close),
  });
  const refresh = stateMetrics(registry, backgroundDb);
  const metrics = await serveMetrics(config.metrics, { registry, logger, refresh });
  const server = await startServer(app, {
    ...serverOptions(config),
    attach: (http) =>
      serveEventSockets(http, { ...context, ...live, ...shared, application: app, corsOrigins: config.corsOrigins }),
  });
  const sequencer = startSequencer({ db: backgroundDb, logger });
  logger.info({ url: server.url }, 'listening');
  return {
    url: server.url,
    metricsUrl: metrics.url,
    async close() {
      live.endConnections();
      await server.close();
      await live.close();
      await Promise.all(closing.map((close) => close()));
      await observer.close();
      await sequencer.close();
      await credentialChanges.close();
      await readingClock.close();
      await metrics[Symbol.asyncDispose]();
      await pools.close();
      await platform.close();
    },
  };
}

/** Connections that the requests for everything else do not wait for. */
interface Pools {
  readonly probes: Db;
  readonly books: Db;
  close(): Promise<void>;
}

function openPools({ databaseUrl }: ApiConfig, logger: Logger): Pools {
  const onLost = (name: string) => warn(logger, `an idle connection of the ${name} was lost`);
  const probes = openDatabase(databaseUrl, onLost('probes'), 1);
  const books = openDatabase(databaseUrl, onLost('books'), BOOK_READS, { statementMs: BOOK_STATEMENT_MS });
  return {
    probes,
    books,
    async close() {
      await probes.destroy();
      await books.destroy();
    },
  };
}

/** What requests and the connections for events share. */
function openShared(config: ApiConfig, platform: Platform, logger: Logger) {
  return {
    accessAudit: openAccessAudit(platform, logger),
    addressOf: openAddresses(config, logger),
    microCache: createMicroCache({ lifetimeMs: config.responseCacheMs }),
  };
}

function openAccessAudit({ backgroundDb, clock, ids }: Platform, logger: Logger): AccessAudit {
  return createAccessAudit({ unitOfWork: createUnitOfWork(backgroundDb, clock, ids), clock: wallClock, logger });
}

/** Shorter than a request may take: one whose statement hangs still gets a response. */
function statementMsOf({ timeouts }: ApiConfig): number {
  return 800 * timeouts.requestSeconds;
}

/** The clock of reads. Only a development clock can be moved, so only that one is followed. */
function openClock(
  { clockOffset, databaseUrl }: ApiConfig,
  { db, readingTime }: Platform,
  logger: Logger,
  onMoved: () => void,
): ReadingClock {
  if (clockOffset === 'none') return { readingTime, close: () => Promise.resolve() };
  return openReadingClock({
    db,
    databaseUrl,
    wall: wallClock,
    onMoved,
    onLost: warn(logger, 'notifications of clock changes do not arrive'),
  });
}

interface ApiParts {
  readonly platform: Platform;
  readonly readingClock: ReadingClock;
  readonly logger: Logger;
  readonly pools: Pools;
  readonly authenticator: Authenticator;
  readonly live: Live;
}

function apiContext(
  { environment, encryptionKeys, publicOrigin, anchoredActionsPerDay }: ApiConfig,
  { platform, readingClock, logger, pools, authenticator, live }: ApiParts,
): ApiContext {
  const { db, clock, anchors, onUnreadable } = platform;
  return {
    ...platform,
    readingTime: readingClock.readingTime,
    wallClock,
    logger,
    authenticator,
    books: pools.books,
    live,
    encryption: createEncryption(encryptionKeys),
    releases: apiReleases,
    environment,
    publicOrigin,
    anchoredActionsPerDay,
    voteBatcher: createVoteBatcher({ db, clock, anchors, onUnreadable, anchoredActionsPerDay }),
    readiness: createReadiness(apiChecks(pools.probes)),
  };
}

function serverOptions({ host, port, timeouts, shutdownGraceSeconds: graceSeconds }: ApiConfig): ServerOptions {
  const { requestSeconds: requestTimeoutSeconds } = timeouts;
  return { host, port, ...timeouts, requestTimeoutSeconds, graceSeconds, socketPath: SOCKET_PATH };
}

function appOptions({
  corsOrigins,
  ledger,
  rateLimits,
  databaseConnections,
}: ApiConfig): Omit<AppOptions, 'addressOf'> {
  const { default: perCaller, admin: perAdmin, ...counted } = rateLimits;
  return {
    corsOrigins,
    concurrency: concurrencyOf(databaseConnections),
    docs: docsPage(eventPages(openApiVersion)),
    rpcOrigin: new URL(ledger.url).origin,
    limits: { perCaller, perAdmin, ...counted },
  };
}

function openAddresses({ trustedProxies }: ApiConfig, logger: Logger): AddressOf {
  return clientAddresses(trustedProxies, (seen) => {
    logger.warn(seen, 'X-Forwarded-For contains no IP address; such requests count as requests of the proxy');
  });
}

/** A third for a client, two thirds for an IP address. */
function concurrencyOf(connections: number): Concurrency {
  const perClient = Math.ceil(connections / 3);
  return { perClient, perAddress: Math.max(perClient, Math.floor((connections * 2) / 3)) };
}
