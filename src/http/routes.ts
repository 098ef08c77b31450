import type { RouteLists } from '../server/app.ts';
import type { ApiContext } from '../server/context.ts';
import { getAnchorPaceRoute, getAnchorProofRoute } from './anchors/routes.ts';
import { announcementRoutes } from './announcements/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { auditLogRoutes } from './audit-log/routes.ts';
import { assetTypeRoutes } from './asset-types/routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { claimRoutes } from './claims/routes.ts';
import { rotationRoutes } from './rotations/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { bookRoutes } from './books/routes.ts';
import { sendBatchRoute } from './batch/send-batch.ts';
import { listCosignersRoute } from './cosigners/list-cosigners.ts';
import { listEventsRoute } from './events/list-events.ts';
import { createDepositRoute } from './deposits/create-deposit.ts';
import { executionRoutes } from './executions/routes.ts';
import { featureFlagRoutes } from './feature-flags/routes.ts';
import { readLiveness, readReadiness } from './health/routes.ts';
import { investmentRoutes } from './investments/routes.ts';
import { pauseRoutes } from './pauses/routes.ts';
import { proposalRoutes } from './proposals/routes.ts';
import { getQuoteRoute } from './quotes/routes.ts';
import { reconciliationRoutes } from './reconciliations/routes.ts';
import { stakeRoutes } from './stakes/routes.ts';
import { transactionRoutes } from './transactions/routes.ts';
import { unsolicitedRoutes } from './unsolicited/routes.ts';
import { getValuationRoute } from './valuation/routes.ts';
import { listEntitlementsRoute } from './settlements/list-entitlements.ts';
import { vaultTypeRoutes } from './vault-types/routes.ts';
import { vaultRoutes } from './vaults/routes.ts';
import { versionRoutes } from './versions/routes.ts';
import { voteRoutes } from './votes/routes.ts';
import { listWalletVaultsRoute } from './wallets/list-vaults.ts';
import { readWalletRolesRoute, replaceWalletRolesRoute } from './wallets/roles.ts';
import { getVotingPowerRoute } from './wallets/routes.ts';

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
