/** The api of the embedded stack: the service's own with the operations of development under /dev. */
import { once } from 'node:events';
import { createApi } from '../src/api.ts';
import { type ApiConfig, loadApiConfig } from '../src/config/api.ts';
import { createLogger } from '../src/observability/logger.ts';
import { openDatabase } from '../src/store/database.ts';
import { connectTemporal } from '../src/temporal/connection.ts';
import { createMovableClock } from './dev/advance.ts';
import { ledgerSwitches } from './dev/ledger-switches.ts';
import { developmentRoutes } from './dev/routes.ts';
import { openWallets } from './dev/wallets.ts';
import { createWorkflowTime } from './dev/workflow-time.ts';

/** One to hold the mover's lock, one to move, one to look; wallets use what is free. */
const CONNECTIONS = 4;

const config = loadApiConfig();
const development = await openDevelopment(config);
const api = await createApi(config, { devRoutes: developmentRoutes(development) });
await development.clock.align();
process.stdout.write(`${JSON.stringify({ ready: true, url: api.url, metricsUrl: api.metricsUrl })}\n`);
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
await api.close();
await development.close();

async function openDevelopment({ databaseUrl, network, ledger, temporal, logLevel }: ApiConfig) {
  const logger = createLogger({ service: 'development', level: logLevel });
  const db = openDatabase(
    databaseUrl,
    (error) => {
      logger.warn({ error }, 'a database connection broke while idle');
    },
    CONNECTIONS,
  );
  const client = connectTemporal(temporal);
  const networkId = network === 'mainnet' ? 1 : 0;
  const switches = ledgerSwitches(new URL(ledger.url).origin);
  const clock = createMovableClock({
    db,
    switches,
    client,
    taskQueue: temporal.taskQueue,
    workflowTime: createWorkflowTime(client),
    confirmationDepth: ledger.confirmationDepth,
  });
  return {
    networkId,
    switches,
    clock,
    wallets: await openWallets(db, networkId),
    async close() {
      await client.connection.close();
      await db.destroy();
    },
  } as const;
}
