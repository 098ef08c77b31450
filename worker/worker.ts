import type { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Registry } from 'prom-client';
import type { WorkerConfig } from '../src/platform/config/worker.ts';
import type { Logger } from '../src/platform/observability/logger.ts';
import { serveMetrics } from '../src/platform/observability/metrics-server.ts';
import { ledgerFollowing, scheduleMetrics } from '../src/platform/observability/worker-metrics.ts';
import { createMetrics } from '../src/platform/observability/metrics.ts';
import { requirePrepared } from '../src/platform/database/roles/prepare-database.ts';
import { publishVaultKeys } from '../src/operations/operator-funds.ts';
import { publishPlatform } from '../src/operations/queries.ts';
import { warn } from '../src/dependencies.ts';
import { readFollowing } from '../src/ledger-follower/follow-ledger.ts';
import { keepSchedules } from '../src/platform/temporal/schedules.ts';
import { temporalServer } from '../src/platform/temporal/connection.ts';
import { createCoreMetrics } from './core-metrics.ts';
import { checkHealth } from './health.ts';
import { keepPresence } from './presence.ts';
import { openWorkerContext, stopSignals } from './worker-context.ts';
import { versionOf } from './versioning.ts';
import { createWorkers, runUntilStopped } from './workers.ts';
import { openWorkflowBundle } from './workflow-bundle.ts';

export interface StartedWorker {
  readonly metricsUrl: string;
  /** Of a worker that is a version of a deployment: it gets tasks while that is the current one. */
  readonly buildId?: string;
}

/**
 * Runs the worker until SIGTERM or SIGINT. Running activities end first: a connection that a worker still uses cannot be closed.
 * Calls `ready` when the worker can take tasks.
 */
export async function runWorker(
  config: WorkerConfig,
  logger: Logger,
  ready: (started: StartedWorker) => void,
): Promise<void> {
  const core = await createCoreMetrics();
  Runtime.install({
    logger: temporalLogger(logger),
    shutdownSignals: [...stopSignals],
    telemetryOptions: { metrics: { prometheus: core.exporter } },
  });
  const registry = createMetrics();
  let health = (): Promise<void> => Promise.reject(new Error('the worker is starting'));
  let refresh = (): Promise<void> => Promise.resolve();
  await using metrics = await serveMetrics(config.metrics, {
    registry,
    logger,
    refresh: () => refresh(),
    health: () => health(),
    more: () => core.read(),
  });
  await requirePrepared({ ...config, process: 'worker' });
  await using bundle = await openWorkflowBundle(config.workflowBundle);
  const context = openWorkerContext(config, logger, registry);
  const { keys, db, temporal } = context;
  await publishPlatform(db, {
    network: config.network,
    operatorAddress: keys.operator.address,
    operatorKeyHash: keys.operator.keyHash,
    confirmationDepth: context.confirmationDepth,
  });
  await publishVaultKeys(context.db, context.keys);

  const connection = await NativeConnection.connect(temporalServer(config.temporal));
  try {
    using _schedules = await openSchedules(temporal, config, logger, registry);
    await context.runningWorkflows.startLedgerFollower();
    const version = await versionOf(config, logger);
    const workers = await createWorkers(connection, config, { context, codePath: bundle.codePath, version });
    const running = runUntilStopped(workers);
    await using _kept = keepPresence({ ...context, logger }, workers, version);
    health = () => checkHealth({ workers, db, temporal });
    refresh = ledgerFollowing(registry, () => readFollowing(context));
    ready({ metricsUrl: metrics.url, ...(version && { buildId: version.buildId }) });
    await running;
  } finally {
    await connection.close();
    await context.close();
  }
}

function openSchedules(
  client: Client,
  { temporal: { taskQueue } }: WorkerConfig,
  logger: Logger,
  registry: Registry,
): Promise<Disposable> {
  return keepSchedules({
    client,
    taskQueue,
    onSeen: scheduleMetrics(registry),
    onLost(scheduleId) {
      logger.error({ type: 'SYSTEM_ERROR', scheduleId }, 'a Schedule was lost and is created again');
    },
    onError: warn(logger, 'the Schedules could not be checked; they are checked again in a minute'),
  });
}

/** Writes the log lines of the Temporal SDK to `logger`. */
function temporalLogger(logger: Logger): DefaultLogger {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    logger[levels[level]]({ ...meta }, message);
  });
}
