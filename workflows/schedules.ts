import type { RefreshPosition, RefreshedPart } from '../src/platform/temporal/activity-types.ts';
import { lostWorkflowFinder, reconciler, scanner, upkeep } from './activity-proxies.ts';
import { restartWhenLong } from './restart.ts';
import { ApplicationFailure } from '@temporalio/workflow';

// Run by Schedules.

/** Sends the messages that a crash lost between a commit and Temporal, and does other upkeep. */
export function sweep(): Promise<{ sent: number }> {
  return upkeep.sweep();
}

/** Starts workflows again that were terminated or lost although something is left to do for them. */
export function lostWorkflows(): Promise<{ restarted: number }> {
  return lostWorkflowFinder.restartLostWorkflows();
}

/**
 * Refreshes the price of everything that is in a vault, then the valuations, in parts: what hangs or fails keeps nothing behind it from its
 * turn. Fails at the end when something could not be stored; the log of the worker names it.
 */
export async function valuationRefresh(): Promise<{ refreshed: number }> {
  let [refreshed, failed] = [0, 0];
  let from: RefreshPosition | null = { step: 'prices', after: null };
  do {
    const part: RefreshedPart = await upkeep.refreshValuations({ from });
    refreshed += part.refreshed;
    failed += part.failed;
    from = part.next;
  } while (from !== null);
  if (failed > 0) throw ApplicationFailure.nonRetryable(`${failed} prices or valuations could not be stored`);
  return { refreshed };
}

/** Scans the addresses of all vaults for unsolicited outputs and reclaimed stakes, page by page. */
export async function unsolicitedScan(from: string | null = null): Promise<void> {
  let after = from;
  do {
    after = await scanner.scanForUnsolicited({ after });
    if (after !== null) await restartWhenLong(after);
  } while (after !== null);
}

/** Compares the books of the vaults that are due with the ledger, page by page, and stores a report; `begun` is one to continue with. */
export async function reconciliation(begun: string | null = null): Promise<void> {
  const reconciliationId = begun ?? (await reconciler.startReconciliation()).reconciliationId;
  for (;;) {
    const { isDone } = await reconciler.reconcileNextVaults({ reconciliationId });
    if (isDone) return;
    await restartWhenLong(reconciliationId);
  }
}
