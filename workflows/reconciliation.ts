import { reconciler } from './activity-proxies.ts';
import { restartWhenLong } from './restart.ts';

/** Compares the books of the vaults that are due with the ledger, page by page, and stores a report; `begun` is one to go on with. Run by a Schedule. */
export async function reconciliation(begun: string | null = null): Promise<void> {
  const reconciliationId = begun ?? (await reconciler.startReconciliation()).reconciliationId;
  for (;;) {
    const { isDone } = await reconciler.reconcileNextVaults({ reconciliationId });
    if (isDone) return;
    await restartWhenLong(reconciliationId);
  }
}
