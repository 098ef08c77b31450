import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { WorkerDeps } from '../activities/deps.ts';
import { createAnchors } from '../src/anchoring/batcher.ts';
import { readPaymentAddress } from '../src/chain/scripts/address.ts';
import { createNetworkStateCache } from '../src/chain/ledger/network-state.ts';
import { deriveKeys } from '../src/chain/keys/keys.ts';
import { createLedger } from '../src/chain/ledger/ledger.ts';
import { createPriceSource } from '../src/chain/price-source.ts';
import type { NetworkId } from '../src/chain/transaction.ts';
import type { WorkerConfig } from '../src/config.ts';
import { wallClock } from '../src/domain/units/clock.ts';
import { createIds } from '../src/domain/units/ids.ts';
import type { Logger } from '../src/observability/logger.ts';
import { anchorBatchSize, vaultTransitionLag } from '../src/observability/metrics.ts';
import { openDatabase } from '../src/store/database.ts';
import { createUnitOfWork, offsetClock, productionClock } from '../src/store/unit-of-work.ts';
import { connectTemporal } from '../src/temporal/connection.ts';
import { createOutboxRelay } from '../src/temporal/outbox-relay.ts';

const LEDGER_TIMEOUT_MS = 10_000;

export type OpenDeps = ReturnType<typeof openDeps>;

/** Opens everything the activities work with; `close` ends it in the reverse order. */
export function openDeps(config: WorkerConfig, logger: Logger, registry: Registry) {
  const networkId = config.network === 'mainnet' ? 1 : 0;
  const liquidityAddress = liquidityAddressOf(config, networkId);
  const clock = config.clockOffset === 'database' ? offsetClock(wallClock) : productionClock(wallClock);
  const observeLag = vaultTransitionLag(registry);
  const db = openDatabase(
    config.databaseUrl,
    (error) => {
      logger.warn({ error }, 'a database connection broke while idle');
    },
    config.databaseConnections,
  );
  const client = connectTemporal(config.temporal);
  const outboxRelay = createOutboxRelay({
    db,
    clock,
    client,
    taskQueue: config.temporal.taskQueue,
    network: config.network,
    onDelay(error) {
      logger.warn({ error }, 'Temporal could not be reached; the sweep sends what waits');
    },
  });
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const unitOfWork = createUnitOfWork(db, clock, ids);
  const ledger = createLedger({
    baseUrl: config.ledger.url,
    timeoutMs: LEDGER_TIMEOUT_MS,
    ...(config.ledger.projectId && { projectId: config.ledger.projectId }),
  });
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
  const deps = {
    db,
    unitOfWork,
    ids,
    ledger,
    networkState,
    priceSource: createPriceSource({ feedUrl: config.priceFeedUrl }),
    keys: deriveKeys(config.operatorMnemonic, networkId),
    outboxRelay,
    anchors,
    networkId,
    confirmationDepth: config.ledger.confirmationDepth,
    blockMs: config.ledger.blockMs,
    durationBounds: config.durationBounds,
    lpMinimum: config.lpMinimum,
    liquidityAddress,
    onTransition(transition, dueAt) {
      observeLag(transition, (clock.now() - dueAt) / 1000);
    },
  } satisfies WorkerDeps;
  return {
    ...deps,
    client,
    async close() {
      await anchors.close();
      await outboxRelay.close();
      await client.connection.close();
      await db.destroy();
    },
  };
}

/** Read before anything is done: a vault whose liquidity cannot be paid out can be neither settled nor undone. */
function liquidityAddressOf({ liquidityAddress: given, network }: WorkerConfig, networkId: NetworkId) {
  if (given === undefined) return undefined;
  const address = readPaymentAddress(given, networkId);
  if (address === undefined)
    throw new Error(`LIQUIDITY_ADDRESS: must be a base or enterprise address of ${network}, in bech32`);
  return address;
}
