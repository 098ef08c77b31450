import { appendBlock, type FollowedBlock, followedBlock, lockTip } from '../../store/blocks.ts';
import {
  lockTransactionsToExpire,
  lockTransactionsToFinalize,
  lockTransactionsOfBlock,
} from '../../store/followed-transactions.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { OnQuarantine } from '../on-ledger/quarantine.ts';
import { recordMove } from '../on-ledger/transactions.ts';
import { checkArrivingTypes } from '../assets/arriving-types.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Blocks whose contents are requested at once, so that a follower that was away catches up quickly. */
const BLOCKS_AT_ONCE = 10;

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'confirmationDepth' | 'onQuarantine'>;

/** Records the blocks after `tip` in order, and what they mean for our transactions. Throws LEDGER_UNAVAILABLE. */
export async function recordBlocks(
  context: Context,
  tip: FollowedBlock,
  blocks: readonly FollowedBlock[],
): Promise<void> {
  let previous = tip;
  for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
    const chunk = blocks.slice(first, first + BLOCKS_AT_ONCE);
    const contents = await Promise.all(chunk.map(({ hash }) => context.ledger.blockTransactions(hash)));
    for (const [position, block] of chunk.entries()) {
      await checkArrivingTypes(context, contents[position] ?? []);
      if (!(await recordBlock(context, previous, block, contents[position] ?? []))) return;
      previous = block;
    }
  }
}

/** Records one block in one Postgres transaction; returns false when another follower was faster. */
function recordBlock(
  { unitOfWork, confirmationDepth, onQuarantine }: Context,
  previous: FollowedBlock,
  block: FollowedBlock,
  hashes: readonly string[],
): Promise<boolean> {
  return unitOfWork(async (context) => {
    const { tx, now } = context;
    if (!(await lockTip(tx, previous))) return false;
    await appendBlock(tx, block, now);
    for (const transaction of await lockTransactionsOfBlock(tx, hashes)) {
      const { height, hash } = block;
      await recordMove(context, transaction, { to: 'confirmed', block: { height, hash } }, onQuarantine);
    }
    await recordFinality(context, block.height - confirmationDepth + 1, onQuarantine);
    return true;
  });
}

/** Makes transactions final that are in a block of this height or below, and expires those that can land in none any more. */
async function recordFinality(context: TransactionContext, height: number, onQuarantine: OnQuarantine): Promise<void> {
  for (const transaction of await lockTransactionsToFinalize(context.tx, height)) {
    await recordMove(context, transaction, { to: 'final' }, onQuarantine);
  }
  // Slots never decrease from block to block, so a transaction cannot land after a final block past its TTL.
  const finalBlock = await followedBlock(context.tx, height);
  if (!finalBlock) return;
  for (const transaction of await lockTransactionsToExpire(context.tx, finalBlock.slot)) {
    // A withdrawn transaction has the reason of its withdrawal.
    const withdrawn = transaction.state === 'awaiting_signatures' ? transaction.error : null;
    const reason = withdrawn ?? 'its validity has passed';
    await recordMove(context, transaction, { to: 'expired', reason }, onQuarantine);
  }
}
