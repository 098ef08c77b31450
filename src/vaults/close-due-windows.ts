import type { Instant } from '../platform/units/instant.ts';
import { closeWindows, failingVaults, lockDueWindows, type VaultWindow } from './queries/due-windows.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { setFailureReasons } from './queries/vault-changes.ts';
import { platformEventFields, publishAll } from '../events/publish.ts';
import type { WorkerContext } from '../worker-context.ts';
import { vaultFailed } from './vault-failed.ts';

/** Windows that one transaction closes: a writer who is late for one of them waits for all. */
const TOGETHER = 100;

/**
 * Closes windows of all vaults that are due at `now`, because a workflow task for each would let those that end at one instant wait for
 * each other. What it leaves out, and everything when it throws, is closed by each vault's own workflow.
 */
export async function closeDueWindows(
  { unitOfWork, onTransition }: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  now: Instant,
): Promise<void> {
  for (let closed = TOGETHER; closed === TOGETHER;) {
    const due = await unitOfWork(async ({ tx, ids }) => {
      const windows = await lockDueWindows(tx, now, TOGETHER);
      if (windows.length > 0) await closeTogether({ tx, ids, now }, windows);
      return windows;
    });
    for (const { kind, endsAt } of due) onTransition(`${kind}_window_close`, endsAt);
    closed = due.length;
  }
}

/**
 * Closes windows that are open. A vault without assets, of which none was sent that may still land, fails with all of its windows among
 * them; those that it leaves open would wait for its own workflow, and are closed by the next call.
 */
export async function closeTogether(context: TransactionContext, windows: readonly VaultWindow[]): Promise<void> {
  const failing = await failingVaults(context.tx, windows);
  const failed = windows.filter(({ vaultId }) => failing.has(vaultId));
  const completed = windows.filter(({ vaultId }) => !failing.has(vaultId));
  if (failed.length > 0) await closeWindows(context, failed, 'FAILED');
  const ended = failed.length > 0 ? await setFailureReasons(context, [...failing], 'no_assets') : [];
  if (completed.length > 0) await closeWindows(context, completed, 'COMPLETED');
  const failures = ended.map((vaultId) => vaultFailed(vaultId, 'no_assets'));
  await publishAll(context, [
    ...statusChanges(failed, 'FAILED'),
    ...failures,
    ...statusChanges(completed, 'COMPLETED'),
  ]);
}

function statusChanges(windows: readonly VaultWindow[], to: 'COMPLETED' | 'FAILED') {
  return windows.map(({ vaultId, kind: window, status: from }) => {
    const data = { window, from, to };
    const type = 'WINDOW_STATUS_CHANGED' as const;
    return { event: { type, ...platformEventFields(vaultId), transactionHash: null, data } };
  });
}
