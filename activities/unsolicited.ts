import { ApplicationFailure, Context } from '@temporalio/activity';
import { scanPage } from '../src/ledger-follower/unsolicited/watch-addresses.ts';
import type { ScanPosition } from '../src/ledger-follower/unsolicited/scan-vaults.ts';
import { UnreadableRow } from '../src/platform/database/decode-rows.ts';
import { endPass } from '../src/ledger-follower/queries/unsolicited-scan-targets.ts';
import type { UnsolicitedActivities } from '../src/platform/temporal/activity-types.ts';
import type { WorkerContext } from '../src/worker-context.ts';

/** Scans the addresses of vaults, page by page. */
export function createUnsolicitedActivities(context: WorkerContext): UnsolicitedActivities {
  return {
    async scanForUnsolicited({ after: cursor }) {
      const { info, log } = Context.current();
      const { position, failed } = readCursor(cursor);
      const { next, scanned, failures } = await scanPage(context, position);
      for (const [subject, error] of failures) {
        log.warn('a vault or a block could not be scanned', { subject, error });
        if (error instanceof UnreadableRow) context.onUnreadable(error);
      }

      const allFailed = [...failed, ...failures.keys()];
      const message = [`could not scan ${allFailed.join(', ')}`, ...failures.values()].join('; ');
      // A temporary failure is retried at once. If every vault fails, the ledger is unavailable.
      if (failures.size > 0 && (info.attempt === 1 || failures.size === scanned)) {
        // What fails for good keeps no scan from continuing with other vaults.
        if (info.attempt > 1 && next === null) await endPass(context.db);
        throw new Error(message);
      }
      if (next !== null) return writeCursor(next, allFailed);
      await endPass(context.db);
      if (allFailed.length > 0) throw ApplicationFailure.nonRetryable(message);
      return null;
    },
  };
}

/** How far a scan is, and the vaults that could not be scanned. */
interface Cursor {
  /** Null at the beginning. */
  readonly position: ScanPosition | null;
  readonly failed: readonly string[];
}

/** `<last vault>[/<vault>/<address>] <failed vault>…` */
function readCursor(cursor: string | null): Cursor {
  if (cursor === null) return { position: null, failed: [] };
  const [reached = '', ...failed] = cursor.split(' ');
  const [last = '', vaultId, address] = reached.split('/');
  const within = vaultId !== undefined && address !== undefined ? { vaultId, address } : null;
  return { position: { vaultId: last === '' ? null : last, within }, failed };
}

function writeCursor({ vaultId, within }: ScanPosition, failed: readonly string[]): string {
  const reached = within === null ? [vaultId] : [vaultId, within.vaultId, within.address];
  return [reached.join('/'), ...failed].join(' ');
}
