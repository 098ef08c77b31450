import type { RouteLists } from './platform/http/app.ts';
import type { ApiContext } from './api-context.ts';
import { getAnchorPaceRoute, getAnchorProofRoute } from './anchoring/routes/routes.ts';
import { announcementRoutes } from './versions/routes/announcements/routes.ts';
import { apiKeyRoutes } from './access/routes/api-keys/routes.ts';
import { auditLogRoutes } from './access/routes/audit-log/routes.ts';
import { assetTypeRoutes } from './types/routes/asset-types/routes.ts';
import { assetRoutes } from './assets/routes/routes.ts';
import { claimRoutes } from './termination/routes/claims/routes.ts';
import { rotationRoutes } from './rotation/routes/routes.ts';
import { sessionRoutes } from './access/routes/sessions/routes.ts';
import { bookRoutes } from './books/routes/routes.ts';
import { sendBatchRoute } from './platform/http/batch/send-batch.ts';
import { listCosignersRoute } from './executions/routes/cosigners/list-cosigners.ts';
import { listEventsRoute } from './events/routes/list-events.ts';
import { createDepositRoute } from './assets/routes/deposits/create-deposit.ts';
import { executionRoutes } from './executions/routes/routes.ts';
import { featureFlagRoutes } from './versions/routes/feature-flags/routes.ts';
import { readLiveness, readReadiness } from './operations/routes/health/routes.ts';
import { investmentRoutes } from './investments/routes/routes.ts';
import { pauseRoutes } from './operations/routes/pauses/routes.ts';
import { proposalRoutes } from './proposals/routes/routes.ts';
import { getQuoteRoute } from './investments/routes/quotes/routes.ts';
import { reconciliationRoutes } from './books/routes/reconciliations/routes.ts';
import { stakeRoutes } from './staking/routes/routes.ts';
import { transactionRoutes } from './transactions/routes/routes.ts';
import { unsolicitedRoutes } from './ledger-follower/unsolicited/routes/routes.ts';
import { getValuationRoute } from './prices/routes/routes.ts';
import { listEntitlementsRoute } from './settlement/routes/list-entitlements.ts';
import { vaultTypeRoutes } from './types/routes/vault-types/routes.ts';
import { vaultRoutes } from './vaults/routes/routes.ts';
import { versionRoutes } from './versions/routes/routes.ts';
import { voteRoutes } from './votes/routes/routes.ts';
import { listWalletVaultsRoute } from './access/routes/wallets/list-vaults.ts';
import { readWalletRolesRoute, replaceWalletRolesRoute } from './access/routes/wallets/roles.ts';
import { getVotingPowerRoute } from './access/routes/wallets/routes.ts';

/** Every operation of the service. */
export const apiRoutes: RouteLists<ApiContext> = {
  api: [
    ...vaultRoutes,
    ...assetRoutes,
    createDepositRoute,
    getValuationRoute,
    ...investmentRoutes,
    getQuoteRoute,
    listEntitlementsRoute,
    ...stakeRoutes,
    ...claimRoutes,
    ...proposalRoutes,
    ...voteRoutes,
    listCosignersRoute,
    ...executionRoutes,
    ...rotationRoutes,
    ...unsolicitedRoutes,
    ...bookRoutes,
    getVotingPowerRoute,
    listWalletVaultsRoute,
    ...transactionRoutes,
    getAnchorProofRoute,
    getAnchorPaceRoute,
    ...sessionRoutes,
    sendBatchRoute,
    ...versionRoutes,
    ...vaultTypeRoutes,
    ...assetTypeRoutes,
    ...announcementRoutes,
    ...pauseRoutes,
    ...featureFlagRoutes,
    ...apiKeyRoutes,
    ...auditLogRoutes,
    ...reconciliationRoutes,
    listEventsRoute,
    readWalletRolesRoute,
    replaceWalletRolesRoute,
  ],
  dev: [],
  open: [readLiveness, readReadiness],
};
