import type { RouteLists } from './app.ts';
import type { ApiContext } from './context.ts';
import { getAnchorProof } from './routes/anchors.ts';
import { deleteAsset, getAssets, postAsset } from './routes/assets.ts';
import { authRoutes } from './routes/auth.ts';
import { getCosigners } from './routes/cosigners.ts';
import { executionRoutes } from './routes/executions.ts';
import { readLiveness, readReadiness } from './routes/health.ts';
import { getInvestments, postInvestment } from './routes/investments.ts';
import { proposalRoutes } from './routes/proposals.ts';
import { getQuote } from './routes/quotes.ts';
import { stakeRoutes } from './routes/stakes.ts';
import { transactionRoutes } from './routes/transactions.ts';
import { unsolicitedRoutes } from './routes/unsolicited.ts';
import { getValuation } from './routes/valuation.ts';
import { cancelVaultRoute, getVault, getVaults, postVault } from './routes/vaults.ts';
import { voteRoutes } from './routes/votes.ts';
import { getVotingPower } from './routes/wallets.ts';

/** Every operation of the service. */
export const apiRoutes: RouteLists<ApiContext> = {
  api: [
    postVault,
    getVaults,
    getVault,
    cancelVaultRoute,
    postAsset,
    getAssets,
    deleteAsset,
    getValuation,
    postInvestment,
    getInvestments,
    getQuote,
    ...stakeRoutes,
    ...proposalRoutes,
    ...voteRoutes,
    getCosigners,
    ...executionRoutes,
    ...unsolicitedRoutes,
    getVotingPower,
    ...transactionRoutes,
    getAnchorProof,
    ...authRoutes,
  ],
  dev: [],
  open: [readLiveness, readReadiness],
};
