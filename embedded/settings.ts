import { resolve } from 'node:path';
import { z } from 'zod';
import { withPassword, integer, port } from '../src/platform/config/environment.ts';

const text = z.string().min(1).optional();

const Variables = z.object({
  DATA_DIR: z.string().min(1).default('.data'),
  PORT: port.default(3000),
  METRICS_PORT: port.default(9464),
  WORKER_METRICS_PORT: port.default(0),
  TEMPORAL_PORT: port.default(7233),
  TEMPORAL_UI_PORT: port.default(8233),
  POSTGRES_PORT: port.default(5433),
  LEDGER_PORT: port.default(3100),
  LEDGER_BLOCK_MS: integer(20, 600_000).default(1000),
  NETWORK: z.string().optional(),
  DATABASE_URL: text,
  DATABASE_PASSWORD: text,
  TEMPORAL_ADDRESS: text,
  LEDGER_URL: text,
  PRICE_FEED_URL: text,
});

/** The settings of `npm start`. A part whose address is set is not started. */
export type StackSettings = ReturnType<typeof readSettings>;

/** Reads the stack's environment variables; throws an Error that names every invalid one. */
export function readSettings(environment: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Variables.safeParse(given);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const variables = parsed.data;
  if (variables.NETWORK === 'mainnet' && variables.LEDGER_URL === undefined) {
    throw new Error(
      'NETWORK is mainnet, but the embedded ledger is a test network. Set LEDGER_URL to a Blockfrost API of mainnet, or unset NETWORK.',
    );
  }
  return {
    dataDir: resolve(variables.DATA_DIR),
    ports: {
      api: variables.PORT,
      metrics: variables.METRICS_PORT,
      workerMetrics: variables.WORKER_METRICS_PORT,
      temporal: variables.TEMPORAL_PORT,
      temporalUi: variables.TEMPORAL_UI_PORT,
      postgres: variables.POSTGRES_PORT,
      ledger: variables.LEDGER_PORT,
    },
    /** Time between two blocks of the embedded ledger. */
    blockMs: variables.LEDGER_BLOCK_MS,
    databaseUrl:
      variables.DATABASE_URL === undefined
        ? undefined
        : withPassword(variables.DATABASE_URL, variables.DATABASE_PASSWORD),
    temporalAddress: variables.TEMPORAL_ADDRESS,
    ledgerUrl: variables.LEDGER_URL,
    priceFeedUrl: variables.PRICE_FEED_URL,
  };
}
