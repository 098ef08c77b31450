import { type Server, createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { type Clock, wallClock } from '../../src/platform/units/time.ts';
import { filePrices, memoryPrices } from '../prices/feed.ts';
import { priceRoutes } from '../prices/routes.ts';
import { blockPulse } from './block-pulse.ts';
import { type Faults, createFaults } from './faults.ts';
import { faucetAddress } from './faucet.ts';
import type { Funding } from './genesis.ts';
import { Refusal, notFound, sendError } from './http-response.ts';
import { type Ledger, createLedger } from './ledger.ts';
import { network } from './network.ts';
import { fileJournal, noJournal } from './persistence.ts';
import { accountRoutes } from './routes/accounts.ts';
import { addressRoutes } from './routes/addresses.ts';
import { assetRoutes } from './routes/assets.ts';
import { blockRoutes } from './routes/blocks.ts';
import { devRoutes } from './routes/dev.ts';
import { networkRoutes } from './routes/network.ts';
import { scriptRoutes } from './routes/scripts.ts';
import { mempoolRoutes, transactionRoutes } from './routes/transactions.ts';

/** Start options. Without `dataDir` nothing is stored; with `blockMs` 0 only POST /dev/mine makes blocks. */
export interface LedgerOptions {
  port?: number;
  dataDir?: string;
  blockMs?: number;
  /** Empty blocks after which only one of five is made. */
  restAfter?: number;
  fundings?: Funding[];
  clock?: Clock;
}

/** A running ledger; its Blockfrost API is at `url`/api/v0, its prices at `url`/prices, its development endpoints at `url`/dev. */
export interface RunningLedger extends AsyncDisposable {
  url: string;
  close(): Promise<void>;
}

/** Much longer than clients keep idle connections: a client that was paused must not send on a closed one. */
const KEEP_ALIVE_MS = 75_000;
const FAUCET: Funding = { address: faucetAddress, lovelace: 5_000_000_000_000n, count: 200 };

/** Starts the embedded ledger on 127.0.0.1; rejects with the system's error when the port is taken. */
export async function startLedger(options: LedgerOptions = {}): Promise<RunningLedger> {
  const { port = 0, dataDir, blockMs = 1000, restAfter, fundings = [], clock = wallClock } = options;
  const journal = dataDir === undefined ? noJournal() : fileJournal(dataDir);
  const ledger = await createLedger({
    hasOwnSlots: blockMs >= 1000 * network.slotLength,
    journal,
    clock,
    fundings: [FAUCET, ...fundings],
  });
  const prices = dataDir === undefined ? memoryPrices() : filePrices(dataDir);
  const faults = createFaults();

  const app = express();
  app.disable('x-powered-by');
  app.use(refuseForeignHost);
  app.use('/api/v0', faultGate(faults), ...apiRoutes(ledger, faults));
  app.use('/dev', devRoutes(ledger, faults));
  app.use(priceRoutes(prices, ledger.now));
  app.use(() => {
    throw notFound();
  });
  app.use(sendErrorResponse);

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  const url = await listen(server, port);
  const blockTimer = blockMs > 0 ? setInterval(blockPulse(ledger, restAfter), blockMs) : undefined;

  async function close(): Promise<void> {
    clearInterval(blockTimer);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    journal.close();
  }
  return { url, close, [Symbol.asyncDispose]: close };
}

function apiRoutes(ledger: Ledger, faults: Faults): RequestHandler[] {
  return [
    networkRoutes(ledger),
    blockRoutes(ledger),
    addressRoutes(ledger),
    accountRoutes(ledger),
    transactionRoutes(ledger, faults),
    mempoolRoutes(ledger),
    assetRoutes(ledger),
    scriptRoutes(ledger),
  ];
}

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** A page in a browser on this machine reaches the ledger through a name of its own (DNS rebinding), never through these. */
const refuseForeignHost: RequestHandler = ({ headers: { host = '' } }, _res, next) => {
  if (!LOCAL_HOSTS.includes(host.replace(/:\d+$/, ''))) throw new Refusal(403, 'The Host header must be a local name.');
  next();
};

function faultGate(faults: Faults): RequestHandler {
  return async (_req, _res, next) => {
    const { delayMs, all } = faults.settings();
    if (delayMs !== undefined) await wait(delayMs);
    if (all === 'down') throw new Refusal(503, 'The ledger is down.');
    next();
  };
}

const sendErrorResponse: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  if (error instanceof Refusal) sendError(res, error.status, error.message);
  else if (isHttpError(error)) sendError(res, error.status, error.message);
  else {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    sendError(res, 500, 'An unexpected response was received from the backend.');
  }
};

function isHttpError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500;
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const bound = server.address();
      resolve(`http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : port}`);
    });
  });
}
