import { appendBlock, dropBlocksAbove, type FollowedBlock, followedBlock, lockTip } from './queries/blocks.ts';
import { endLedgerHold, type LedgerHold } from './queries/ledger-hold.ts';
import type { WorkerContext } from '../worker-context.ts';
import { blockAt, findFork } from './find-fork.ts';
import { undoTransactionsAbove } from './roll-back.ts';

/** A new history may undo everything, which is more than one Postgres transaction should hold. */
const UNDONE_AT_ONCE = 200;

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'onQuarantine'>;

/**
 * Takes over the ledger's history from a height on, as an operator has accepted: undoes what the recorded blocks from there on
 * decided, and forgets these blocks, so that the ledger's are read instead. Does nothing and returns false while nothing is accepted,
 * or when the histories part elsewhere by now: the operator has judged another fork. Throws LEDGER_UNAVAILABLE.
 */
export async function acceptHistory(context: Context, tip: FollowedBlock, hold: LedgerHold | null): Promise<boolean> {
  const from = hold?.acceptedFrom ?? null;
  if (hold === null || from === null) return false;
  const { block: fork } = await findFork(context);
  if ((fork?.height ?? null) !== hold.forkHeight) return false;
  const start = await blockAt(context.ledger, Math.max(0, from - 1));
  while (!(await acceptPart(context, tip, { from, start })));
  return true;
}

/** Returns whether nothing is left to be undone. */
function acceptPart(
  { unitOfWork, onQuarantine }: Context,
  tip: FollowedBlock,
  { from, start }: { readonly from: number; readonly start: FollowedBlock },
): Promise<boolean> {
  return unitOfWork(async (work) => {
    const { tx } = work;
    if (!(await lockTip(tx, tip))) return true;
    const undone = await undoTransactionsAbove(work, from - 1, { onQuarantine, limit: UNDONE_AT_ONCE });
    if (undone === UNDONE_AT_ONCE) return false;
    const isKept = (await followedBlock(tx, start.height))?.hash === start.hash;
    await dropBlocksAbove(tx, isKept ? start.height : -1);
    if (!isKept) await appendBlock(tx, start);
    await endLedgerHold(tx);
    return true;
  });
}
