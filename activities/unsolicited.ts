import { ApplicationFailure, Context } from '@temporalio/activity';
import { scanVaults } from '../src/services/unsolicited/scan-vaults.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { UnsolicitedActivities } from '../src/temporal/activity-types.ts';

type ScanContext = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'readingTime' | 'ledger' | 'networkState' | 'networkId' | 'confirmationDepth'
>;

/** Scans the addresses of all vaults, page by page. */
export function createUnsolicitedActivities(context: ScanContext): UnsolicitedActivities {
  return {
    async lookForUnsolicited({ after: cursor }) {
      const { info, log } = Context.current();
      const { last, failed } = readCursor(cursor);
      const { vaultIds, isLast, failures } = await scanVaults(context, last);
      for (const [vaultId, error] of failures) log.warn('a vault could not be scanned', { vaultId, error });

      const allFailed = [...failed, ...failures.keys()];
      const message = [`could not scan ${allFailed.join(', ')}`, ...failures.values()].join('; ');
      // A temporary failure is retried at once. If every vault fails, the ledger is unavailable.
      if (failures.size > 0 && (info.attempt === 1 || failures.size === vaultIds.length)) throw new Error(message);
      if (!isLast) return writeCursor({ last: vaultIds.at(-1) ?? null, failed: allFailed });
      if (allFailed.length > 0) throw ApplicationFailure.nonRetryable(message);
      return null;
    },
  };
}

/** How far a scan is: the last vault scanned, and the vaults that could not be scanned. */
interface Cursor {
  readonly last: string | null;
  readonly failed: readonly string[];
}

function readCursor(cursor: string | null): Cursor {
  const [last = null, ...failed] = cursor?.split(' ') ?? [];
  return { last, failed };
}

function writeCursor({ last, failed }: Cursor): string {
  return [last, ...failed].join(' ');
}
