import { dropBlocksAbove, type FollowedBlock, lockTip } from './queries/blocks.ts';
import { type ChainTransaction, headOf, readTransaction } from '../transactions/queries/chain-transactions.ts';
import { lockTransactionsAbove } from './queries/followed-transactions.ts';
import { holdLedger, type LedgerHold, endLedgerHold } from './queries/ledger-hold.ts';
import { inSavepoint } from '../platform/database/savepoint.ts';
import type { StateChange } from '../transactions/queries/transaction-changes.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { failOpenMints } from './effects/late-landing.ts';
import type { OnQuarantine } from './effects/quarantine.ts';
import { type Move, quarantining, quarantineMove } from './effects/transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { findFork, type Fork, unclear } from './find-fork.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'maxRollback' | 'onQuarantine' | 'onLedgerHold'>;

/**
 * Undoes the consequences of blocks that are no longer on the ledger; their transactions are to be sent again. What reaches deeper
 * than `maxRollback` undoes nothing and holds the follower until an operator decides. Throws LEDGER_UNAVAILABLE.
 */
export async function rollBack(context: Context, tip: FollowedBlock): Promise<'rollback' | 'held'> {
  const { block: fork, ledgerHeight } = await findFork(context);
  if (fork === null || tip.height - fork.height > context.maxRollback) return hold(context, tip, fork);
  if (ledgerHeight < tip.height) throw unclear(`the ledger's other history ends at height ${ledgerHeight}`);
  await context.unitOfWork(async (work) => {
    if (!(await lockTip(work.tx, tip))) return;
    await undoTransactionsAbove(work, fork.height, context);
    await dropBlocksAbove(work.tx, fork.height);
    await endLedgerHold(work.tx);
  });
  return 'rollback';
}

/** Sets the transactions in blocks above a height back to submitted, with all consequences, newest first; returns how many. */
export async function undoTransactionsAbove(
  work: TransactionContext,
  height: number,
  { onQuarantine, limit }: { readonly onQuarantine: OnQuarantine; readonly limit?: number },
): Promise<number> {
  const move = quarantining(onQuarantine);
  const transactions = await lockTransactionsAbove(work.tx, height, limit);
  for (const row of transactions) {
    const reason = `block ${row.block_height} was rolled back`;
    const change = { to: 'submitted', direction: 'rollback', block: null, reason } as const;
    const failure = await inSavepoint(work.tx, () => undo(work, readTransaction(row), change, move));
    // No other waits with it (design D45). While it is in quarantine, its vault neither settles, nor ends, nor counts stakes.
    if (failure !== null) await quarantineMove(work, headOf(row), change, { ...failure, onQuarantine });
  }
  return transactions.length;
}

async function undo(
  work: TransactionContext,
  transaction: ChainTransaction,
  change: StateChange,
  move: Move,
): Promise<void> {
  if (transaction.kind === 'mint') await failOpenMints(work, transaction, move);
  await move(work, transaction, change);
}

async function hold(context: Context, tip: FollowedBlock, fork: Fork['block']): Promise<'held'> {
  // A stale response would raise a false alarm.
  const { block: again } = await findFork(context);
  if (again?.hash !== fork?.hash) throw unclear('two answers about the fork differ');
  const parting: Pick<LedgerHold, 'tipHeight' | 'forkHeight'> = {
    tipHeight: tip.height,
    forkHeight: fork?.height ?? null,
  };
  const isNews = await context.unitOfWork(async (work) => (await lockTip(work.tx, tip)) && holdLedger(work, parting));
  if (isNews) context.onLedgerHold(parting);
  return 'held';
}
