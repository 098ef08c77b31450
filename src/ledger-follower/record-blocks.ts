import type { Block } from '../cardano/ledger/responses.ts';
import { instantOfSlot } from '../cardano/ledger/slots.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import { appendBlock, type FollowedBlock, lockTip } from './queries/blocks.ts';
import {
  type ChainTransaction,
  headOf,
  readTransaction,
  type TransactionHead,
  type TransactionRow,
} from '../transactions/queries/chain-transactions.ts';
import { decodeRows } from '../platform/database/decode-rows.ts';
import {
  lockTransactionsOfBlock,
  lockTransactionsToFinalize,
  markExpiryFailed,
} from './queries/followed-transactions.ts';
import { inSavepoint } from '../platform/database/savepoint.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { recordLanding } from './effects/late-landing.ts';
import { type Move, moveTransaction, quarantining } from './effects/transactions.ts';
import { checkArrivingTypes } from '../assets/arriving-types.ts';
import { holdForOperator } from '../vaults/holds.ts';
import { storeLandedSignatures } from './landed-signatures.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Blocks whose contents are requested at once, so that a follower that was away catches up quickly. */
const BLOCKS_AT_ONCE = 10;

type Context = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'ledger'
  | 'networkId'
  | 'confirmationDepth'
  | 'onQuarantine'
  | 'onUnrecorded'
  | 'onUnjustified'
  | 'onUnknownSupply'
>;
type Alarms = Pick<Context, 'onQuarantine' | 'onUnrecorded'>;

/** Records the blocks after `tip` in order, and what they mean for our transactions. Throws LEDGER_UNAVAILABLE. */
export async function recordBlocks(context: Context, tip: FollowedBlock, blocks: readonly Block[]): Promise<void> {
  if (blocks.length > 0) requireChain(tip, blocks, await context.ledger.slotLengthMs());
  let previous = tip;
  for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
    const chunk = blocks.slice(first, first + BLOCKS_AT_ONCE);
    const contents = await Promise.all(chunk.map((block) => context.ledger.blockTransactions(block)));
    for (const [position, block] of chunk.entries()) {
      await checkArrivingTypes(context, contents[position] ?? []);
      await storeLandedSignatures(context, contents[position] ?? []);
      if (!(await recordBlock(context, previous, block, contents[position] ?? []))) return;
      previous = block;
    }
  }
}

/** Records one block in one Postgres transaction; returns false when another follower was faster. */
function recordBlock(
  { unitOfWork, confirmationDepth, ...landing }: Context,
  previous: FollowedBlock,
  block: FollowedBlock,
  hashes: readonly string[],
): Promise<boolean> {
  return unitOfWork(async ({ tx, ids }) => {
    if (!(await lockTip(tx, previous))) return false;
    await appendBlock(tx, block);
    // What a block decides happened when it was made, whenever it is read: a follower that was away comes to the same result.
    const context = { tx, ids, now: block.time };
    const landed = await lockTransactionsOfBlock(tx, hashes);
    await recordAll(context, landed, landing, (one, move) => recordLanding(context, one, block, { ...landing, move }));
    const buried = await lockTransactionsToFinalize(tx, block.height - confirmationDepth + 1);
    await recordAll(context, buried, landing, (one, move) => move(context, one, { to: 'final' }));
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
