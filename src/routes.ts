import type { RouteLists } from './platform/http/app.ts';
import type { ApiContext } from './api-context.ts';
import { getAnchorPaceRoute, getAnchorProofRoute } from './anchoring/routes.ts';
import { announcementRoutes } from './versions/routes/announcements.ts';
import { apiKeyRoutes } from './access/routes/api-keys.ts';
import { auditLogRoutes } from './access/routes/audit-log.ts';
import { assetTypeRoutes, vaultTypeRoutes } from './types/routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { claimRoutes } from './termination/routes.ts';
import { rotationRoutes } from './rotation/routes.ts';
import { sessionRoutes } from './access/routes/sessions.ts';
import { bookRoutes } from './books/routes/statement.ts';
import { sendBatchRoute } from './platform/http/batch/send-batch.ts';
import { listCosignersRoute, executionRoutes } from './executions/routes.ts';
import { listEventsRoute } from './events/routes/list-events.ts';
import { createDepositRoute } from './assets/deposit-routes.ts';
import { featureFlagRoutes } from './versions/routes/feature-flags.ts';
import { readLiveness, readReadiness } from './operations/routes/health.ts';
import { investmentRoutes, getQuoteRoute } from './investments/routes.ts';
import { pauseRoutes } from './operations/routes/pauses.ts';
import { proposalRoutes } from './proposals/routes/routes.ts';
import { reconciliationRoutes } from './books/routes/reconciliations.ts';
import { stakeRoutes } from './staking/routes.ts';
import { transactionRoutes } from './transactions/routes/routes.ts';
import { unsolicitedRoutes } from './ledger-follower/unsolicited/routes.ts';
import { getValuationRoute } from './prices/routes.ts';
import { listEntitlementsRoute } from './settlement/routes.ts';
import { vaultRoutes } from './vaults/routes/routes.ts';
import { versionRoutes } from './versions/routes/versions.ts';
import { voteRoutes } from './votes/routes.ts';
import {
  listWalletVaultsRoute,
  readWalletRolesRoute,
  replaceWalletRolesRoute,
  getVotingPowerRoute,
} from './access/routes/wallets.ts';

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
