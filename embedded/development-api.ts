import type { DestinationStream } from 'pino';
import { createApi, type RunningApi } from '../src/api.ts';
import type { ApiConfig } from '../src/platform/config/api.ts';
import { createLogger } from '../src/platform/observability/logger.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { connectTemporal } from '../src/platform/temporal/connection.ts';
import { createMovableClock } from './dev/movable-clock.ts';
import { ledgerControls } from './dev/ledger-controls.ts';
import { developmentRoutes } from './dev/routes.ts';
import { openWallets } from './dev/wallets.ts';
import { createWorkflowTime } from './dev/workflow-time.ts';

/** One connection holds the clock lock, one moves the clock, one reads; wallets use whichever is free. */
const CONNECTIONS = 4;

/** Starts the API of the embedded stack: the service's API and the development endpoints under /dev. */
export async function createDevelopmentApi(config: ApiConfig, log?: DestinationStream): Promise<RunningApi> {
  const development = openDevelopment(config, log);
  const api = await createApi(config, { devRoutes: developmentRoutes(development), ...(log && { log }) });
  await development.clock.align();
  return {
    ...api,
    async close() {
      await api.close();
      await development.close();
    },
  };
}

function openDevelopment(
  { databaseUrl, network, ledger, temporal, logLevel }: ApiConfig,
  log: DestinationStream | undefined,
) {
  const logger = createLogger({ service: 'development', level: logLevel }, log);
  const db = openDatabase(
    databaseUrl,
    (error) => {
      logger.warn({ error }, 'a database connection was lost while idle');
    },
    CONNECTIONS,
  );
  const client = connectTemporal(temporal);
  const networkId = network === 'mainnet' ? 1 : 0;
  const controls = ledgerControls(new URL(ledger.url).origin);
  const clock = createMovableClock({
    db,
    ledgerControls: controls,
    client,
    taskQueue: temporal.taskQueue,
    workflowTime: createWorkflowTime(client),
    confirmationDepth: ledger.confirmationDepth,
  });
  return {
    networkId,
    ledgerControls: controls,
    clock,
    wallets: openWallets(db, networkId),
    async close() {
      await client.connection.close();
      await db.destroy();
    },
  } as const;
}
