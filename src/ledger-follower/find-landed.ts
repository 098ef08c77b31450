import type { LedgerTransaction } from '../cardano/ledger/responses.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import { lockTransaction } from '../transactions/queries/chain-transactions.ts';
import { firstFollowedHeight, type FollowedBlock, followedBlock, followedTip, lockTip } from './queries/blocks.ts';
import type { Transaction } from '../platform/database/database.ts';
import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import { recordLanding } from './effects/late-landing.ts';
import { quarantining } from './effects/transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { storeLandedSignatures } from './landed-signatures.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'onQuarantine' | 'onUnjustified'>;

/**
 * Asks the ledger for a transaction by its hash, before it counts as one that can never land (design D45). One in a block that
 * was followed without it, or that is before all that were, is recorded. Returns whether the ledger knows it, and as what its row says. Throws LEDGER_UNAVAILABLE.
 */
export async function findLanded(
  context: Context,
  { id, hash }: Pick<ChainTransaction, 'id' | 'hash'>,
): Promise<boolean> {
  const { unitOfWork, ledger, onQuarantine } = context;
  const found = await ledger.transaction(hash);
  if (found === null) return false;
  const earlier = await findEarlierBlock(context, found);
  await storeLandedSignatures(context, [hash]);
  return unitOfWork(async (work) => {
    const block =
      earlier === null ? await followedBlock(work.tx, found.blockHeight) : await stillEarlier(work.tx, earlier);
    const current = await lockTransaction(work.tx, id);
    // The follower records it with its block, or that block is one of another fork.
    if (block?.hash !== found.blockHash || !current || isOnLedger(current.state)) return true;
    const landing = { ...context, move: quarantining(onQuarantine) };
    return recordLanding({ ...work, now: block.time }, current, block, landing);
  });
}

/** A block to which no follower comes any more, and the tip that follows it. */
interface EarlierBlock {
  readonly block: FollowedBlock;
  readonly tip: FollowedBlock;
}

/**
 * The block of a transaction before the first one that is kept: older than any rollback, or below the height from which an operator has
 * accepted another history. Null for any other, and when this ledger does not have the tip that was followed. Throws LEDGER_UNAVAILABLE.
 */
async function findEarlierBlock(
  { db, ledger }: Pick<Context, 'db' | 'ledger'>,
  { blockHeight }: LedgerTransaction,
): Promise<EarlierBlock | null> {
  const [first, tip] = [await firstFollowedHeight(db), await followedTip(db)];
  if (first === null || tip === null || blockHeight >= first) return null;
  // Of two blocks of one ledger at a time, the lower one is before the other.
  const block = await ledger.block(blockHeight);
  const isFollowed = (await ledger.block(tip.height))?.hash === tip.hash;
  return block && isFollowed ? { block, tip } : null;
}

async function stillEarlier(tx: Transaction, { block, tip }: EarlierBlock): Promise<FollowedBlock | null> {
  return (await lockTip(tx, tip)) ? block : null;
}
