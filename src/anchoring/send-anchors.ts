import { waitingBatches } from './queries/anchor-batches.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import { recordSubmission } from '../transactions/record-submission.ts';
import type { Submission, SubmissionContext } from '../transactions/submission.ts';
import { sendTransaction } from '../transactions/submit-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';
import { isBroken } from './broken-anchor.ts';
import { rebuildLane } from './rebuild-lane.ts';

type Context = SubmissionContext & Pick<WorkerContext, 'readingTime'>;

/** Few enough that the first of them does not look unsent for long. */
const RECORDED_TOGETHER = 50;

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
  const pending = waiting.flatMap(({ transaction }) => (transaction.state === 'pending' ? [transaction] : []));
  for (let first = 0; first < pending.length; first += RECORDED_TOGETHER) {
    const submission = await sendTogether(context, pending.slice(first, first + RECORDED_TOGETHER));
    if (submission !== 'done') return submission;
  }
  return 'done';
}

/** Submits transactions in order, and records together which of them the ledger has accepted. */
async function sendTogether(context: Context, transactions: readonly ChainTransaction[]): Promise<Submission> {
  const now = await context.readingTime();
  const accepted: ChainTransaction[] = [];
  try {
    for (const transaction of transactions) {
      const sent = await sendTransaction(context, transaction, now);
      if (sent === 'accepted') accepted.push(transaction);
      else if (sent !== 'done') return sent;
    }
    return 'done';
  } finally {
    if (accepted.length > 0) await recordSubmission(context, accepted, { refusal: null, now });
  }
}
