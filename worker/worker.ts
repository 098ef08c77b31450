import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createAnchorActivities } from '../activities/anchors.ts';
import { createLedgerActivities } from '../activities/ledger-follower.ts';
import { createProposalActivities } from '../activities/proposals.ts';
import { createSettlementActivities } from '../activities/settlements.ts';
import { createVoteActivities } from '../activities/votes.ts';
import { createTransactionActivities } from '../activities/transactions.ts';
import { createUnsolicitedActivities } from '../activities/unsolicited.ts';
import { createUpkeepActivities } from '../activities/upkeep.ts';
import { createCreationActivities, createVaultActivities } from '../activities/vaults.ts';
import type { WorkerConfig } from '../src/config/worker.ts';
import type { Logger } from '../src/observability/logger.ts';
import { serveMetrics } from '../src/observability/metrics-server.ts';
import { createMetrics } from '../src/observability/metrics.ts';
import { migrateToLatest } from '../src/store/migrate.ts';
import { publishVaultKeys } from '../src/services/operator/publish-vault-keys.ts';
import { publishPlatform } from '../src/store/platform.ts';
import type {
  AnchorActivities,
  LedgerActivities,
  PreparationActivities,
  ProposalActivities,
  TallyActivities,
  TransactionActivities,
  UnsolicitedActivities,
  UpkeepActivities,
  VaultActivities,
} from '../src/temporal/activities.ts';
import { coreMetrics } from './core-metrics.ts';
import { openDeps, type OpenDeps } from './deps.ts';
import { workflowBundle } from './workflow-bundle.ts';
import { heartbeatWhileRunning } from './heartbeat.ts';
import { ensureSchedules, keepFollowing } from './schedules.ts';

type Activities = VaultActivities &
  ProposalActivities &
  TallyActivities &
  PreparationActivities &
  TransactionActivities &
  AnchorActivities &
  LedgerActivities &
  UnsolicitedActivities &
  UpkeepActivities;

/**
 * Runs the worker until SIGTERM or SIGINT, then lets running activities end before connections close (notes, temporal.md).
 * `ready` is called, with the address of its metrics, once it can take work.
 */
export async function runWorker(
  config: WorkerConfig,
  logger: Logger,
  ready: (metricsUrl: string) => void,
): Promise<void> {
  const core = await coreMetrics();
  Runtime.install({
    logger: temporalLogger(logger),
    shutdownSignals: ['SIGTERM', 'SIGINT'],
    telemetryOptions: { metrics: { prometheus: core.exporter } },
  });
  const registry = createMetrics();
  await using metrics = await serveMetrics(config.metrics, { registry, logger, more: () => core.read() });
  await migrateToLatest(config.databaseUrl);
  await using bundle = await workflowBundle(config.workflowBundle);
  const deps = openDeps(config, logger, registry);
  const { keys, db, temporal } = deps;
  await publishPlatform(db, {
    network: config.network,
    operatorAddress: keys.operator.address,
    operatorKeyHash: keys.operator.keyHash,
  });
  await publishVaultKeys(deps);

  const connection = await NativeConnection.connect({ address: config.temporal.address });
  try {
    const worker = await Worker.create({
      connection,
      namespace: config.temporal.namespace,
      taskQueue: config.temporal.taskQueue,
      workflowBundle: { codePath: bundle.codePath },
      activities: activitiesOf(deps),
      interceptors: { activity: [heartbeatWhileRunning] },
      maxCachedWorkflows: 500,
      stickyQueueScheduleToStartTimeout: '3 seconds',
      shutdownGraceTime: `${config.shutdownGraceSeconds} seconds`,
      shutdownForceTime: `${2 * config.shutdownGraceSeconds} seconds`,
    });
    await ensureSchedules(temporal, config.temporal.taskQueue);
    await keepFollowing(temporal, config.temporal.taskQueue);
    const running = worker.run();
    ready(metrics.url);
    await running;
  } finally {
    await connection.close();
    await deps.close();
  }
}

function activitiesOf(deps: OpenDeps): Activities {
  return {
    ...createVaultActivities(deps),
    ...createProposalActivities(deps),
    ...createVoteActivities(deps),
    ...createCreationActivities(deps),
    ...createSettlementActivities(deps),
    ...createTransactionActivities(deps),
    ...createAnchorActivities(deps),
    ...createLedgerActivities(deps),
    ...createUnsolicitedActivities(deps),
    ...createUpkeepActivities(deps),
  };
}

/** Sends the log lines of the SDK to our logger. */
function temporalLogger(logger: Logger): DefaultLogger {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    logger[levels[level]]({ ...meta }, message);
  });
}
