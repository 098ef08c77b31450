import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Registry } from 'prom-client';
import { createAnchors } from './anchoring/batcher.ts';
import { ensureApiKey } from './auth/authentication.ts';
import { createEncryption } from './store/encryption.ts';
import { createNetworkStateCache } from './chain/ledger/network-state.ts';
import { createLedger } from './chain/ledger/ledger.ts';
import { createPriceSource } from './chain/price-source.ts';
import type { ApiConfig } from './config.ts';
import { wallClock } from './domain/units/clock.ts';
import { createIds } from './domain/units/ids.ts';
import { startSequencer } from './events/sequencer.ts';
import { createApp, type RouteLists } from './http/server/app.ts';
import type { ApiContext } from './http/server/context.ts';
import { apiVersion } from './http/server/envelope.ts';
import { requirePlatform } from './services/actor.ts';
import type { Route } from './http/server/route.ts';
import { createVoteBatcher } from './services/votes/vote-batcher.ts';
import { apiRoutes } from './http/routes.ts';
import { startServer } from './http/server/server.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { serveMetrics } from './observability/metrics-server.ts';
import { anchorBatchSize, type Backlog, backlog, createMetrics, requestDuration } from './observability/metrics.ts';
import { type Db, openDatabase } from './store/database.ts';
import { countHolds } from './store/prices.ts';
import { countUnnumberedEvents } from './store/event-sequence.ts';
import { migrateToLatest } from './store/migrate.ts';
import { createUnitOfWork, offsetClock, productionClock } from './store/unit-of-work.ts';
import { connectTemporal } from './temporal/connection.ts';
import { createOutboxRelay } from './temporal/outbox-relay.ts';
import { withOpenApi } from './http/server/openapi-route.ts';

/** A listening api. */
export interface RunningApi {
  readonly url: string;
  readonly metricsUrl: string;
  /** Lets running requests finish and their messages reach Temporal, then lets go of everything. */
  close(): Promise<void>;
}

export interface ApiExtras {
  /** Operations under /dev, which only a development stack has. */
  readonly devRoutes?: readonly Route<ApiContext>[];
}

const ledgerTimeoutMs = 10_000;

/** Migrates the database, makes the bootstrap key and starts listening. Rejects when the database is away or the port taken. */
export async function createApi(config: ApiConfig, { devRoutes = [] }: ApiExtras = {}): Promise<RunningApi> {
  const logger = createLogger({ service: 'api', level: config.logLevel });
  await migrateToLatest(config.databaseUrl);
  const db = openDatabase(
    config.databaseUrl,
    (error) => {
      logger.warn({ error }, 'a database connection broke while idle');
    },
    config.databaseConnections,
  );
  if (config.bootstrapAdminKey !== undefined)
    await ensureApiKey(db, wallClock, { text: config.bootstrapAdminKey, name: 'bootstrap admin', roles: ['ADMIN'] });

  const registry = createMetrics();
  const { context, release } = connect(config, db, logger, registry);
  const routes: RouteLists<ApiContext> = withOpenApi({ ...apiRoutes, dev: devRoutes }, apiVersion.slice(1));
  const app = createApp(context, routes, {
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    onRequest: requestDuration(registry),
    rpcOrigin: new URL(config.ledger.url).origin,
    limits: {
      perCaller: config.rateLimits.default,
      perAdmin: config.rateLimits.admin,
      windowSeconds: config.rateLimits.windowSeconds,
    },
  });
  const metrics = await serveMetrics(config.metrics, {
    registry,
    logger,
    refresh: backlog(registry, () => readBacklog(db)),
  });
  const server = await startServer(app, {
    host: config.host,
    port: config.port,
    ...config.timeouts,
    requestTimeoutSeconds: config.timeouts.requestSeconds,
    graceSeconds: config.shutdownGraceSeconds,
  });
  const sequencer = startSequencer({ db, logger });
  logger.info({ url: server.url }, 'listening');
  return {
    url: server.url,
    metricsUrl: metrics.url,
    async close() {
      await server.close();
      await release();
      await sequencer.close();
      await metrics[Symbol.asyncDispose]();
      await db.destroy();
    },
  };
}

/** Everything the routes work with, and how to let go of it. */
function connect(
  config: ApiConfig,
  db: Db,
  logger: Logger,
  registry: Registry,
): { context: ApiContext; release: () => Promise<void> } {
  const networkId = config.network === 'mainnet' ? 1 : 0;
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const { clock, readingTime } = clockOf(config, db);
  const { url: baseUrl, projectId } = config.ledger;
  const ledger = createLedger({ baseUrl, timeoutMs: ledgerTimeoutMs, ...(projectId !== undefined && { projectId }) });
  const temporal = connectTemporal(config.temporal);
  const outboxRelay = createOutboxRelay({
    db,
    clock,
    client: temporal,
    taskQueue: config.temporal.taskQueue,
    network: config.network,
    onDelay(error) {
      logger.warn({ error }, 'Temporal could not be told yet; the sweep will do it');
    },
  });
  const unitOfWork = createUnitOfWork(db, clock, ids);
  const networkState = createNetworkStateCache({ ledger, wallClock, networkId });
  const anchors = createAnchors({
    db,
    unitOfWork,
    ids,
    ledger,
    networkState,
    outboxRelay,
    minIntervalMs: config.anchorMinIntervalMs,
    onBatch: anchorBatchSize(registry),
    onDelay(error) {
      logger.warn({ error }, 'the ledger could not be asked; anchors are built from what is known');
    },
  });
  const context: ApiContext = {
    db,
    wallClock,
    ids,
    logger,
    unitOfWork,
    readingTime,
    ledger,
    networkState,
    priceSource: createPriceSource({ feedUrl: config.priceFeedUrl }),
    outboxRelay,
    anchors,
    voteBatcher: createVoteBatcher({ db, anchors, ids }),
    encryption: createEncryption(config.encryptionKey),
    networkId,
    durationBounds: config.durationBounds,
    lpMinimum: config.lpMinimum,
    readiness: {
      database: async () => {
        await sql`select 1`.execute(db);
      },
      platform: async () => {
        await requirePlatform(db);
      },
    },
  };
  return {
    context,
    async release() {
      await anchors.close();
      await outboxRelay.close();
      await temporal.connection.close();
    },
  };
}

async function readBacklog(db: Db): Promise<Backlog> {
  const [unsequencedEvents, holds] = await Promise.all([countUnnumberedEvents(db), countHolds(db)]);
  return { unsequencedEvents, holds };
}

/** A moved development clock is asked for at every read; in production no clock is ever moved. */
function clockOf({ clockOffset }: ApiConfig, db: Db) {
  if (clockOffset === 'none') {
    const clock = productionClock(wallClock);
    return { clock, readingTime: () => Promise.resolve(clock.now()) };
  }
  const clock = offsetClock(wallClock);
  return {
    clock,
    async readingTime() {
      await clock.refresh(db);
      return clock.now();
    },
  };
}
