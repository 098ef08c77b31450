import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { lockTransaction } from '../../store/chain-transactions.ts';
import { followedBlock } from '../../store/blocks.ts';
import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import { recordLanding } from '../on-ledger/late-landing.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'unitOfWork' | 'ledger' | 'onQuarantine'>;

/**
 * Asks the ledger for a transaction by its hash, before it counts as one that can never land (design D45). One in a block that
 * was followed without it is recorded. Returns whether the ledger knows it. Throws LEDGER_UNAVAILABLE.
 */
export async function findLanded(
  { unitOfWork, ledger, onQuarantine }: Context,
  { id, hash }: Pick<ChainTransaction, 'id' | 'hash'>,
): Promise<boolean> {
  const found = await ledger.transaction(hash);
  if (found === null) return false;
  await unitOfWork(async (context) => {
    const block = await followedBlock(context.tx, found.blockHeight);
    const current = await lockTransaction(context.tx, id);
    // The follower records it with its block, or that block is one of another fork.
    if (block?.hash !== found.blockHash || !current || isOnLedger(current.state)) return;
    await recordLanding({ ...context, now: block.time }, current, block, onQuarantine);
  });
  return true;
}
