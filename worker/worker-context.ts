import type { Registry } from 'prom-client';
import type { WorkerContext } from '../src/worker-context.ts';
import { createOperatorBudget, type OperatorBudget } from '../src/signing-policy/operator-budget.ts';
import { deriveKeys } from '../src/cardano/keys/keys.ts';
import { readPaymentAddress } from '../src/cardano/scripts/address.ts';
import type { WorkerConfig } from '../src/platform/config/worker.ts';
import { ServiceError } from '../src/platform/errors.ts';
import { wallClock } from '../src/platform/units/time.ts';
import type { Logger } from '../src/platform/observability/logger.ts';
import {
  unrecordedCounter,
  lostWorkflowCounter,
  showOperatorBudget,
  signatureRefusedCounter,
} from '../src/platform/observability/worker-metrics.ts';
import { vaultTransitionLag } from '../src/platform/observability/metrics.ts';
import { openPlatform, type Platform, warn } from '../src/dependencies.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { createUnitOfWork } from '../src/platform/database/unit-of-work.ts';
import { createRunningWorkflows } from '../src/platform/temporal/running-workflows.ts';

/** What ends the worker in peace. */
export const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** One for the block that is recorded, one for what is read beside it. */
const FOLLOWER_CONNECTIONS = 2;

/** Opens what the activities work with. */
export function openWorkerContext(config: WorkerConfig, logger: Logger, registry: Registry): WorkerContext & Platform {
  // Checked before anything is opened: a vault whose liquidity cannot be paid out can be neither settled nor refunded.
  const liquidityAddress = liquidityAddressOf(config);
  const keys = deriveKeys(config.operatorMnemonic, config.networkId);
  const observeLag = vaultTransitionLag(registry);
  const countRefused = signatureRefusedCounter(registry);
  const platform = openPlatform(config, logger, registry);
  const onIdleError = warn(logger, 'a database connection of the follower was lost while idle');
  const followerDb = openDatabase(config.databaseUrl, onIdleError, FOLLOWER_CONNECTIONS);
  return {
    ...platform,
    follower: { db: followerDb, unitOfWork: createUnitOfWork(followerDb, platform.clock, platform.ids) },
    async close() {
      await followerDb.destroy();
      await platform.close();
    },
    keys,
    operatorBudget: openOperatorBudget(config, logger, registry),
    confirmationDepth: config.ledger.confirmationDepth,
    maxRollback: config.ledger.maxRollback,
    blockMs: config.ledger.blockMs,
    eventsKeptDays: config.eventsKeptDays,
    liquidityAddress,
    stopping: stopRequest(),
    onTransition(transition, dueAt) {
      observeLag(transition, (platform.clock.now() - dueAt) / 1000);
    },
    onLedgerHold({ tipHeight, forkHeight }) {
      const error = new ServiceError('LEDGER_HISTORY_CHANGED', { tipHeight, forkHeight });
      logger.error({ type: 'EXTERNAL_SERVICE_ERROR', code: error.code, tipHeight, forkHeight }, error.message);
    },
    onTendingError: warn(logger, 'open transactions could not be resubmitted or expired; the next block retries it'),
    runningWorkflows: createRunningWorkflows(platform.temporal, config.temporal.taskQueue),
    onLostWorkflow: reportLostWorkflows(registry, logger),
    onSignatureRefused({ hash, kind, vaultId }, reason, cause) {
      countRefused(kind);
      const error = new ServiceError('TRANSACTION_NOT_JUSTIFIED', { reason });
      logger.error(
        { type: 'BLOCKCHAIN_ERROR', code: error.code, hash, kind, vaultId, reason, error: cause },
        error.message,
      );
    },
    onUnknownSupply({ policyId, assetName }, error) {
      logger.warn({ policyId, assetName, error }, 'the ledger did not return the supply of an NFT that arrived');
    },
    onUnrecorded: reportUnrecorded(registry, logger),
    onQuarantine({ hash, kind, vaultId }, { to }, error) {
      logger.error({ type: 'SYSTEM_ERROR', hash, kind, vaultId, to, error }, 'a transaction was quarantined');
    },
  };
}

/** What the operator pays is counted by the machine's clock: a development clock can be moved. */
function openOperatorBudget(
  { operatorDailyBound: bound }: WorkerConfig,
  logger: Logger,
  registry: Registry,
): OperatorBudget {
  const budget = createOperatorBudget({
    clock: wallClock,
    bound,
    onSpent(purpose, { anchors, others }) {
      const error = new ServiceError('OPERATOR_BUDGET_SPENT');
      const paid = { anchors: String(anchors), others: String(others), bound: String(bound) };
      logger.error({ type: 'BUSINESS_LOGIC_ERROR', code: error.code, purpose, ...paid }, error.message);
    },
  });
  showOperatorBudget(registry, budget.today);
  return budget;
}

function reportLostWorkflows(registry: Registry, logger: Logger): WorkerContext['onLostWorkflow'] {
  const count = lostWorkflowCounter(registry);
  const text = 'a workflow with remaining work did not run and is started again';
  return (lost) => {
    count(lost);
    logger.error({ type: 'SYSTEM_ERROR', ...lost }, text);
  };
}

function reportUnrecorded(registry: Registry, logger: Logger): WorkerContext['onUnrecorded'] {
  const count = unrecordedCounter(registry);
  return (hash, error) => {
    count();
    logger.error(
      { type: 'SYSTEM_ERROR', hash, error },
      'the effects of a transaction in a block could not be recorded',
    );
  };
}

/** Aborted by the signals that stop the worker. Temporal itself tells a running activity only when the grace period is over. */
function stopRequest(): AbortSignal {
  const request = new AbortController();
  for (const signal of stopSignals) {
    process.once(signal, () => {
      request.abort();
    });
  }
  return request.signal;
}

function liquidityAddressOf({ liquidityAddress: text, network, networkId }: WorkerConfig): string | undefined {
  if (text === undefined) return undefined;
  const address = readPaymentAddress(text, networkId);
  if (address === undefined)
    throw new Error(`LIQUIDITY_ADDRESS: must be a base or enterprise address of ${network}, in bech32`);
  return address;
}
