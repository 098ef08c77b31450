import { reconciler } from './activity-proxies.ts';

/** Compares the books of all vaults with the ledger, page by page, and stores a report. Run by a Schedule. */
export async function reconciliation(): Promise<void> {
  const { reconciliationId } = await reconciler.startReconciliation();
  for (let isDone = false; !isDone;) ({ isDone } = await reconciler.reconcileNextVaults({ reconciliationId }));
}
