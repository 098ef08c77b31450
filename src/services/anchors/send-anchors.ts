import { waitingBatches } from '../../store/anchor-batches.ts';
import type { Submission, SubmissionContext } from '../transactions/submission.ts';
import { submitTransaction } from '../transactions/submit-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';
import { isBroken } from './broken-anchor.ts';
import { rebuildLane } from './rebuild-lane.ts';

type Context = SubmissionContext & Pick<WorkerContext, 'readingTime'>;

/**
 * Rebuilds the anchors of a lane that can no longer land, and submits its pending ones in order. Stops at the first whose
 * outcome is unclear. Throws LEDGER_UNAVAILABLE.
 */
export async function sendAnchors(context: Context, laneId: string): Promise<Submission> {
  let waiting = await waitingBatches(context.db, laneId);
  if (waiting.some(isBroken)) {
    await rebuildLane(context, laneId);
    waiting = await waitingBatches(context.db, laneId);
  }
  const now = await context.readingTime();
  for (const { transaction } of waiting) {
    if (transaction.state !== 'pending') continue;
    const submission = await submitTransaction(context, transaction, now);
    if (submission !== 'done') return submission;
  }
  return 'done';
}
