import { checkTypesOfDeposits } from '../assets/add-assets.ts';
import type { Block, LedgerTransaction } from '../cardano/ledger/responses.ts';
import { instantOfSlot } from '../cardano/ledger/slots.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { recordConfirmation } from './effects/record-confirmation.ts';
import { type Move, moveTransaction, quarantining } from './effects.ts';
import { storeConfirmedSignatures } from './verify-confirmed.ts';
import {
  appendBlock,
  type FollowedBlock,
  lockTip,
  firstFollowedHeight,
  followedBlock,
  followedTip,
} from './queries/blocks.ts';
import {
  lockTransactionsOfBlock,
  lockTransactionsToFinalize,
  markExpiryFailed,
} from './queries/followed-transactions.ts';
import { decodeRows } from '../platform/database/decode-rows.ts';
import { inSavepoint } from '../platform/database/statements.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { unspentOutputsAt } from '../settlement/queries/outputs.ts';
import {
  type ChainTransaction,
  headOf,
  readTransaction,
  type TransactionHead,
  type TransactionRow,
  lockTransaction,
} from '../transactions/queries/transactions.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { isOnLedger, refText, type UtxoRef } from '../transactions/rules.ts';
import { holdForOperator } from '../vaults/holds.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Blocks whose contents are requested at once, so that a follower that was away catches up quickly. */
const BLOCKS_AT_ONCE = 10;

type Alarms = Pick<WorkerContext, 'onQuarantine' | 'onUnrecorded'>;

/** Records the blocks after `tip` in order, and what they mean for our transactions. */
export async function recordBlocks(
  context: WorkerContext,
  tip: FollowedBlock,
  blocks: readonly Block[],
): Promise<void> {
  if (blocks.length > 0) requireChain(tip, blocks, await context.ledger.slotLengthMs());
  let previous = tip;
  for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
    const chunk = blocks.slice(first, first + BLOCKS_AT_ONCE);
    const contents = await Promise.all(chunk.map((block) => context.ledger.blockTransactions(block)));
    for (const [position, block] of chunk.entries()) {
      await checkTypesOfDeposits(context, contents[position] ?? []);
      await storeConfirmedSignatures(context, contents[position] ?? []);
      if (!(await recordBlock(context, previous, block, contents[position] ?? []))) return;
      previous = block;
    }
  }
}

/** Records one block in one Postgres transaction; returns false when another follower was faster. */
function recordBlock(
  { unitOfWork, confirmationDepth, ...confirmation }: WorkerContext,
  previous: FollowedBlock,
  block: FollowedBlock,
  hashes: readonly string[],
): Promise<boolean> {
  return unitOfWork(async ({ tx, ids }) => {
    if (!(await lockTip(tx, previous))) return false;
    await appendBlock(tx, block);
    // What a block decides happened when it was made, whenever it is read: a follower that was away comes to the same result.
    const context = { tx, ids, now: block.time };
    const confirmed = await lockTransactionsOfBlock(tx, hashes);
    await recordAll(context, confirmed, confirmation, (one, move) =>
      recordConfirmation(context, one, block, { ...confirmation, move }),
    );
    const buried = await lockTransactionsToFinalize(tx, block.height - confirmationDepth + 1);
    await recordAll(context, buried, confirmation, (one, move) => move(context, one, { to: 'final' }));
    return true;
  });
}

/** Records what a block decides of transactions: of all together, which takes fewer statements, and where that fails of each alone. */
async function recordAll(
  context: TransactionContext,
  rows: readonly TransactionRow[],
  { onQuarantine, onUnrecorded }: Alarms,
  record: (transaction: ChainTransaction, move: Move) => Promise<unknown>,
): Promise<void> {
  if (rows.length === 0) return;
  const unrecorded: [TransactionHead, unknown][] = [];
  const transactions = decodeRows(rows, readTransaction, (error, row) => unrecorded.push([headOf(row), error]));
  const failure = await inSavepoint(context.tx, async () => {
    for (const one of transactions) await record(one, moveTransaction);
  });
  if (failure !== null) {
    const move = quarantining(onQuarantine);
    for (const one of transactions) {
      const alone = await inSavepoint(context.tx, async () => {
        await record(one, move);
      });
      if (alone !== null) unrecorded.push([one, alone.error]);
    }
  }
  for (const [one, error] of unrecorded) {
    onUnrecorded(one.hash, error);
    await leaveUnrecorded(context, one);
  }
}

/**
 * A transaction that cannot be read or recorded is left as it is: all others would wait with it (design D45). Its vault is held, and the
 * ledger is asked for it again with each block (expire-transactions.ts); finality comes with a later block.
 */
async function leaveUnrecorded(context: TransactionContext, { id, vaultId, state }: TransactionHead): Promise<void> {
  if (isOnLedger(state)) return;
  await markExpiryFailed(context.tx, id);
  if (vaultId !== null) await holdForOperator(context, vaultId, 'quarantined');
}

/**
 * Throws LEDGER_UNAVAILABLE when the blocks do not follow each other, because backends of different forks have answered, or when one says another
 * time than that of its slot: by these transactions expire, and what they change is dated.
 */
export function requireChain(tip: FollowedBlock, blocks: readonly Block[], slotLengthMs: number): void {
  let previous = tip;
  for (const block of blocks) {
    const { hash, slot, time } = block;
    if (block.previousHash !== previous.hash || block.height !== previous.height + 1)
      throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `block ${hash} does not follow ${previous.hash}` });
    if (slot < previous.slot || time !== instantOfSlot({ ...previous, slotLengthMs }, slot))
      throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `block ${hash} has another time than its slot ${slot}` });
    previous = block;
  }
}

/**
 * Asks the ledger for a transaction by its hash, before it counts as one that can never be confirmed (design D45). One in a block that was followed
 * without it, or that is before all that were, is recorded. Returns whether the ledger knows it, and as what its row says.
 */
export async function findConfirmed(
  context: WorkerContext,
  { id, hash }: Pick<ChainTransaction, 'id' | 'hash'>,
): Promise<boolean> {
  const { unitOfWork, ledger, onQuarantine } = context;
  const found = await ledger.transaction(hash);
  if (found === null) return false;
  const earlier = await findEarlierBlock(context, found);
  await storeConfirmedSignatures(context, [hash]);
  return unitOfWork(async (work) => {
    const isTip = earlier === null || (await lockTip(work.tx, earlier.tip));
    const block = earlier === null ? await followedBlock(work.tx, found.blockHeight) : isTip ? earlier.block : null;
    const current = await lockTransaction(work.tx, id);
    // The follower records it with its block, or that block is one of another fork.
    if (block?.hash !== found.blockHash || !current || isOnLedger(current.state)) return true;
    const confirmation = { ...context, move: quarantining(onQuarantine) };
    return recordConfirmation({ ...work, now: block.time }, current, block, confirmation);
  });
}

/** A block to which no follower comes any more, and the tip that follows it. */
interface EarlierBlock {
  readonly block: FollowedBlock;
  readonly tip: FollowedBlock;
}

/**
 * The block of a transaction before the first one that is kept: older than any rollback, or below the height from which an operator has
 * accepted another history. Null for any other, and when this ledger does not have the tip that was followed.
 */
async function findEarlierBlock(
  { db, ledger }: HeldAtContext,
  { blockHeight }: LedgerTransaction,
): Promise<EarlierBlock | null> {
  const [first, tip] = [await firstFollowedHeight(db), await followedTip(db)];
  if (first === null || tip === null || blockHeight >= first) return null;
  // Of two blocks of one ledger at a time, the lower one is before the other.
  const block = await ledger.block(blockHeight);
  const isFollowed = (await ledger.block(tip.height))?.hash === tip.hash;
  return block && isFollowed ? { block, tip } : null;
}

type HeldAtContext = Pick<WorkerContext, 'db' | 'ledger'>;

/**
 * What the ledger holds at an address of a vault itself. Throws LEDGER_UNAVAILABLE, also when an output is missing that a followed block
 * has put there and that nothing spends: a backend lags behind, and what is not seen would be left behind or missed for good.
 */
export async function heldAt(context: HeldAtContext, vaultId: string, address: string): Promise<readonly Utxo[]> {
  const { seen, unseen } = await seenAt(context, vaultId, address);
  const missing = await excludeLeased(context.db, unseen);
  if (missing.length > 0) throw outputsMissing(address, missing);
  return seen;
}

/** LEDGER_UNAVAILABLE: the backend lags behind and is asked again. */
export function outputsMissing(address: string, missing: readonly UtxoRef[]): ServiceError {
  const reason = `outputs at ${address} are missing: ${missing.map(refText).join(', ')}`;
  return new ServiceError('LEDGER_UNAVAILABLE', { reason });
}

/**
 * What the ledger shows at an address of a vault itself, and which outputs it does not show that a followed block has put there: spent in a
 * block that is not followed yet, or by a backend that lags behind.
 */
export async function seenAt(
  { db, ledger }: HeldAtContext,
  vaultId: string,
  address: string,
): Promise<{ readonly seen: readonly Utxo[]; readonly unseen: UtxoRef[] }> {
  const expected = await unspentOutputsAt(db, vaultId, address);
  const seen = await ledger.custodyUtxos(address, expected);
  const known = new Set(seen.map(refText));
  return { seen, unseen: expected.filter((output) => !known.has(refText(output))) };
}
