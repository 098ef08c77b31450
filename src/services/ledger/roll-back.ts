import type { Ledger } from '../../chain/ledger/ledger.ts';
import type { Block } from '../../chain/ledger/responses.ts';
import { ServiceError } from '../../domain/errors.ts';
import { dropBlocksAbove, type FollowedBlock, latestBlocks, lockTip } from '../../store/blocks.ts';
import { lockTransactionsAbove } from '../../store/followed-transactions.ts';
import { recordMove } from '../on-ledger/transactions.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'onQuarantine'>;

/** Recorded blocks read at once when looking for the newest one that is still on the ledger. */
const FORK_SEARCH = 100;

/** Undoes the consequences of blocks that are no longer on the ledger; their transactions are to be sent again. Throws LEDGER_UNAVAILABLE. */
export async function rollBack(context: Context, tip: FollowedBlock): Promise<void> {
  const fork = await findFork(context, tip);
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
}

/**
 * The newest recorded block that is still on the ledger. A backend that lags behind does not know the tip either, so a rollback is
 * believed only when the ledger has another block at the tip's height, and a chain from the fork on (design D45).
 */
async function findFork({ db, ledger }: Context, tip: FollowedBlock): Promise<FollowedBlock> {
  if ((await blockAt(ledger, tip)).hash === tip.hash) throw unclear(`block ${tip.hash} is and is not on the ledger`);
  for (let limit = FORK_SEARCH; ; limit *= 4) {
    const recorded = await latestBlocks(db, limit);
    for (const block of recorded) {
      if ((await blockAt(ledger, block)).hash !== block.hash) continue;
      const next = (await ledger.nextBlocks(block.hash))?.at(0);
      if (next?.previousHash !== block.hash || next.height !== block.height + 1)
        throw unclear(`nothing follows block ${block.hash}`);
      return block;
    }
    if (recorded.length < limit) throw new Error('the ledger was rolled back further than the recorded blocks');
  }
}

/** The ledger's block at the height of a recorded one. Throws LEDGER_UNAVAILABLE when it has none. */
async function blockAt(ledger: Ledger, { height }: FollowedBlock): Promise<Block> {
  const block = await ledger.block(height);
  if (block?.height !== height) throw unclear(`no block at height ${height}`);
  return block;
}

function unclear(reason: string): ServiceError {
  return new ServiceError('LEDGER_UNAVAILABLE', { reason });
}
