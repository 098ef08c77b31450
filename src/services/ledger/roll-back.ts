import { dropBlocksAbove, type FollowedBlock, latestBlocks, lockTip } from '../../store/blocks.ts';
import { lockTransactionsAbove } from '../../store/followed-transactions.ts';
import { recordMove } from '../on-ledger/transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { resendAll, type ResendContext } from './resend-transactions.ts';

/** Recorded blocks read at once when looking for the newest one that is still on the ledger. */
const FORK_SEARCH = 100;

/** Undoes the consequences of blocks that are no longer on the ledger, and sends their transactions again. Throws LEDGER_UNAVAILABLE. */
export async function rollBack(
  context: ResendContext & Pick<WorkerContext, 'onQuarantine'>,
  tip: FollowedBlock,
): Promise<void> {
  const fork = await findFork(context);
  await context.unitOfWork(async (work) => {
    const { tx } = work;
    if (!(await lockTip(tx, tip))) return;
    for (const transaction of await lockTransactionsAbove(tx, fork.height)) {
      const reason = `block ${transaction.blockHeight} was rolled back`;
      const change = { to: 'submitted', direction: 'rollback', block: null, reason } as const;
      await recordMove(work, transaction, change, context.onQuarantine);
    }
    await dropBlocksAbove(tx, fork.height);
  });
  await resendAll(context);
}

/** The newest recorded block that is still on the ledger. */
async function findFork({ db, ledger }: ResendContext): Promise<FollowedBlock> {
  for (let limit = FORK_SEARCH; ; limit *= 4) {
    const recorded = await latestBlocks(db, limit);
    for (const block of recorded) {
      if (await ledger.block(block.hash)) return block;
    }
    if (recorded.length < limit) throw new Error('the ledger was rolled back further than the recorded blocks');
  }
}
