import { listReconciliationsRoute } from './list-reconciliations.ts';
import { readReconciliationRoute } from './read-reconciliation.ts';

/** How the books compare with the ledger. */
export const reconciliationRoutes = [listReconciliationsRoute, readReconciliationRoute];
