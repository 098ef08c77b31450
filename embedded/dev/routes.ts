import type { ApiContext } from '../../src/api-context.ts';
import type { Route } from '../../src/platform/http/route.ts';
import type { Development } from './development.ts';
import { advanceClock, readClock } from './routes/clock.ts';
import { faucetRoute } from './routes/faucet.ts';
import { rollBackLedger, setLedgerFaults } from './routes/ledger.ts';
import { setPrice } from './routes/prices.ts';
import { listWallets, createWallet, signData, signTransaction } from './routes/wallets.ts';

const all = [
  faucetRoute,
  createWallet,
  listWallets,
  signTransaction,
  signData,
  advanceClock,
  readClock,
  setPrice,
  rollBackLedger,
  setLedgerFaults,
];

/** The operations under /dev (design §7). */
export function developmentRoutes(development: Development): Route<ApiContext>[] {
  return all.map((route) => route(development));
}
