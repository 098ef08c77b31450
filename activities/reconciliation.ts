import { Context as ActivityContext } from '@temporalio/activity';
import { wallClock, secondsAfter } from '../src/platform/units/time.ts';
import { reconcileNextVaults, startReconciliation, snapshotOf, untilNextBlock } from '../src/books/reconciliation.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import type { ReconciliationActivities } from '../src/platform/temporal/activity-types.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'blockMs'>;

/** A page ends early after this, before the time of its activity is up (workflows/activity-proxies.ts). */
const PAGE_SECONDS = 600;

/** Compares the books of the vaults that are due with the ledger, page by page. */
export function createReconciliationActivities(context: Context): ReconciliationActivities {
  const { db, blockMs } = context;
  const comparing = {
    ...context,
    snapshot: snapshotOf(db),
    pause: () => untilNextBlock(db, 2 * blockMs),
    onNotCompared(vaultId: string, error: unknown) {
      ActivityContext.current().log.warn('a vault could not be compared with the ledger', { vaultId, error });
    },
  };
  return {
    async startReconciliation() {
      return { reconciliationId: await startReconciliation(context, 'schedule') };
    },
    async reconcileNextVaults({ reconciliationId }) {
      const end = secondsAfter(wallClock.now(), PAGE_SECONDS);
      const isTimeUp = () => wallClock.now() > end;
      return { isDone: !(await reconcileNextVaults(comparing, reconciliationId, isTimeUp)) };
    },
  };
}
