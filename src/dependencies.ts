import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { createBatchPaths } from './anchoring/facts.ts';
import type { Anchors } from './anchoring/anchors.ts';
import { type AnchorsDeps, createAnchors } from './anchoring/group-commit.ts';
import { batchLeaves } from './anchoring/queries/anchor-batches.ts';
import { createNetworkStateCache } from './cardano/ledger/network-state.ts';
import { createLedger, type Ledger } from './cardano/ledger/ledger.ts';
import { createPriceSource } from './cardano/price-source.ts';
import type { SharedConfig } from './platform/config/shared.ts';
import { wallClock } from './platform/units/time.ts';
import { createIds } from './platform/units/ids.ts';
import type { Logger } from './platform/observability/logger.ts';
import { showAnchorCost } from './anchoring/anchor-metrics.ts';
import { anchorBatchSize, statementCounter } from './platform/observability/metrics.ts';
import { unreadableCounter } from './platform/observability/worker-metrics.ts';
import type { ServiceContext } from './context.ts';
import { type Db, openDatabase } from './platform/database/database.ts';
import type { OnUnreadable } from './platform/database/decode-rows.ts';
import {
  createUnitOfWork,
  type DatabaseClock,
  offsetClock,
  productionClock,
} from './platform/database/unit-of-work.ts';
import { connectTemporal } from './platform/temporal/connection.ts';
import { createOutboxRelay, type OutboxRelay } from './platform/temporal/workflow-outbox-relay.ts';

/** What the api and the worker both run on. */
export interface Platform extends ServiceContext {
  readonly clock: DatabaseClock;
  readonly temporal: Client;
  readonly outboxRelay: OutboxRelay;
  /** Connections of their own for what must continue when requests or activities use all of theirs. */
  readonly backgroundDb: Db;
  /** Finishes the open anchor batch and the current messages, then closes all connections. */
  close(): Promise<void>;
}

const LEDGER_TIMEOUT_MS = 10_000;
/** Anchor batches, the outbox relay and the sequencer use one each. */
const BACKGROUND_CONNECTIONS = 4;

interface PlatformConfig extends SharedConfig {
  /** Limit of one statement of a request; that of activities when absent. */
  readonly statementMs?: number;
}

/** Opens what the api and the worker both run on. Connects on first use, so an unavailable service does not fail it. */
export function openPlatform(config: PlatformConfig, logger: Logger, registry: Registry): Platform {
  const { networkId } = config;
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const { db, backgroundDb } = openDatabases(config, logger, statementCounter(registry));
  const { clock, readingTime } = openClock(config.clockOffset, db);
  const unitOfWork = createUnitOfWork(db, clock, ids);
  const ledger = openLedger(config, logger);
  const networkState = createNetworkStateCache({ ledger, networkId });
  const { temporal, outboxRelay } = openTemporal(config, logger, { db: backgroundDb, clock });
  const onUnreadable = reportUnreadableRows(registry, logger);
  const anchoring = { db: backgroundDb, unitOfWork: createUnitOfWork(backgroundDb, clock, ids), onUnreadable };
  const deps = { ...anchoring, ids, ledger, networkState, outboxRelay, pace: config.anchorPace };
  const anchors = openAnchors(deps, logger, registry);
  return {
    db,
    backgroundDb,
    ids,
    clock,
    readingTime,
    unitOfWork,
    ledger,
    networkState,
    temporal,
    outboxRelay,
    anchors,
    batchPaths: createBatchPaths((batchId) => batchLeaves(db, batchId)),
    priceSource: createPriceSource({ feedUrl: config.priceFeedUrl }),
    networkId,
    durationBounds: config.durationBounds,
    operatorDeposits: config.operatorDeposits,
    lpMinimum: config.lpMinimum,
    tokenMetadata: config.tokenMetadata,
    onUnreadable,
    async close() {
      await anchors.close();
      await outboxRelay.close();
      await temporal.connection.close();
      await backgroundDb.destroy();
      await db.destroy();
    },
  };
}

function openDatabases(
  { databaseUrl, databaseConnections, statementMs }: PlatformConfig,
  logger: Logger,
  count: ReturnType<typeof statementCounter>,
): Pick<Platform, 'db' | 'backgroundDb'> {
  const onIdleError = warn(logger, 'a database connection was lost while idle');
  const open = (pool: string, connections: number) =>
    openDatabase(databaseUrl, onIdleError, connections, { statementMs, onStatement: count(pool) });
  return { db: open('foreground', databaseConnections), backgroundDb: open('background', BACKGROUND_CONNECTIONS) };
}

function reportUnreadableRows(registry: Registry, logger: Logger): OnUnreadable {
  const count = unreadableCounter(registry);
  return (error) => {
    count(error.table);
    logger.error({ type: 'SYSTEM_ERROR', table: error.table, id: error.id, error }, 'a row cannot be read');
  };
}

/** Anchors that are measured, and whose delays and costs are logged. */
function openAnchors(deps: Omit<AnchorsDeps, 'onDelay'>, logger: Logger, registry: Registry): Anchors {
  const anchors = createAnchors({
    ...deps,
    onBatch: anchorBatchSize(registry),
    onBudgetSpent: ({ spentToday, intervalMs }) => {
      const cost = { spentToday: String(spentToday), intervalMs };
      logger.warn(cost, "the anchors of this process have spent today's budget");
    },
    onDelay: warn(logger, 'the ledger is not reachable; anchors are built from its last known state'),
  });
  showAnchorCost(registry, () => anchors.cost());
  return anchors;
}

/** The clock of all changes, and how to read it: only a development clock can be moved, so only that one is read from the database. */
function openClock(clockOffset: SharedConfig['clockOffset'], db: Db): Pick<Platform, 'clock' | 'readingTime'> {
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

/** The Temporal client, and the relay that brings the workflow outbox to it. */
function openTemporal(
  config: SharedConfig,
  logger: Logger,
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
): Pick<Platform, 'temporal' | 'outboxRelay'> {
  const temporal = connectTemporal(config.temporal);
  const onDelay = warn(logger, 'messages to workflows could not be sent; the sweep will send those that are waiting');
  const { taskQueue } = config.temporal;
  const outboxRelay = createOutboxRelay({ db, clock, client: temporal, taskQueue, network: config.network, onDelay });
  return { temporal, outboxRelay };
}

/** Returns a function that logs an error with this message as a warning. */
export function warn(logger: Logger, message: string): (error: unknown) => void {
  return (error) => {
    logger.warn({ error }, message);
  };
}

function openLedger({ ledger: { url: baseUrl, projectId } }: PlatformConfig, logger: Logger): Ledger {
  return createLedger({
    baseUrl,
    timeoutMs: LEDGER_TIMEOUT_MS,
    ...(projectId !== undefined && { projectId }),
    onNotAccepted({ status, text }) {
      logger.warn({ type: 'BLOCKCHAIN_ERROR', status, answer: text }, 'the ledger rejected a transaction');
    },
  });
}
