import { setTimeout as pause } from 'node:timers/promises';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { Block } from '../cardano/ledger/responses.ts';
import { instantOfSlot } from '../cardano/ledger/slots.ts';
import { failOpenMints } from './effects/record-confirmation.ts';
import type { OnQuarantine } from './quarantine.ts';
import { type Move, quarantining, quarantineMove } from './effects.ts';
import {
  appendBlock,
  followedTip,
  lockTip,
  endLedgerHold,
  readLedgerHold,
  blocksUpTo,
  type FollowedBlock,
  dropBlocksAbove,
  holdLedger,
  type LedgerHold,
  followedBlock,
} from './queries/blocks.ts';
import { lockTransactionsAbove } from './queries/followed-transactions.ts';
import { recordBlocks } from './record-blocks.ts';
import { inSavepoint } from '../platform/database/statements.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { isoText } from '../platform/units/time.ts';
import { type ChainTransaction, headOf, readTransaction } from '../transactions/queries/transactions.ts';
import type { StateChange } from '../transactions/queries/changes.ts';
import type { WorkerContext } from '../worker-context.ts';

/** What the ledger had to say: nothing new, new blocks, that recorded ones are no longer on it, or that too many are not. */
export type LedgerNews = 'nothing' | 'blocks' | 'rollback' | 'held';

/** Records what is new on the ledger (design §4). */
export async function followLedger(context: WorkerContext): Promise<LedgerNews> {
  const { db, ledger, unitOfWork } = context;
  const [tip, hold] = await Promise.all([followedTip(db), readLedgerHold(db)]);
  if (tip === null) {
    await startFollowing(context);
    return 'blocks';
  }
  const blocks = await ledger.nextBlocks(tip.hash);
  if (blocks === null) return (await acceptHistory(context, tip, hold)) ? 'rollback' : rollBack(context, tip);
  if (hold !== null) await unitOfWork(({ tx }) => endLedgerHold(tx));
  await recordBlocks(context, tip, blocks);
  return blocks.length === 0 ? 'nothing' : 'blocks';
}

/**
 * Starts at a final block, so that no usual rollback goes back before the first recorded one. Throws LEDGER_UNAVAILABLE when it says another time
 * than that of its slot: by it those of all later ones are checked.
 */
async function startFollowing({ ledger, unitOfWork, confirmationDepth }: WorkerContext): Promise<void> {
  const [latest, slotLengthMs] = await Promise.all([ledger.latestBlock(), ledger.slotLengthMs()]);
  const first = await ledger.block(Math.max(0, latest.height - confirmationDepth + 1));
  if (first === null) return;
  if (first.time !== instantOfSlot({ ...latest, slotLengthMs }, first.slot))
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `block ${first.hash} has another time than its slot` });
  await unitOfWork(async ({ tx }) => {
    if (await lockTip(tx, null)) await appendBlock(tx, first);
  });
}

/** A ledger that does not respond leaves only its own figure out. */
const LEDGER_MS = 2_000;

interface Following {
  /** Blocks of the ledger that are not followed yet; null when the ledger does not respond. */
  readonly lagBlocks: number | null;
  /** Age of the last followed block; null before the first. */
  readonly lagSeconds: number | null;
  /** Whether an operator has to accept another history first. */
  readonly isHeld: boolean;
}

export async function readFollowing({
  follower: { db },
  ledger,
  readingTime,
}: Pick<WorkerContext, 'follower' | 'ledger' | 'readingTime'>): Promise<Following> {
  const [tip, hold, height, now] = await Promise.all([
    followedTip(db),
    readLedgerHold(db),
    ledgerHeight(ledger),
    readingTime(),
  ]);
  return {
    lagBlocks: tip && height !== null ? Math.max(0, height - tip.height) : null,
    lagSeconds: tip && Math.max(0, (now - tip.time) / 1000),
    isHeld: hold !== null,
  };
}

async function ledgerHeight(ledger: Ledger): Promise<number | null> {
  const latest = ledger.latestBlock().then(
    ({ height }) => height,
    () => null,
  );
  return Promise.race([latest, pause(LEDGER_MS, null, { ref: false })]);
}

interface Fork {
  /** The newest recorded block that the ledger still has; null when it has none of them. */
  readonly block: FollowedBlock | null;
  /** Height of the ledger's own tip. */
  readonly ledgerHeight: number;
}

/**
 * Where the ledger's history leaves the recorded one. A backend that lags behind does not know the tip either, so the ledger has to
 * have another block in its place, and a chain from the fork on (design D45).
 */
async function findFork({ db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>): Promise<Fork> {
  const { height: ledgerHeight } = await ledger.latestBlock();
  const recorded = await blocksUpTo(db, ledgerHeight);
  const newest = recorded.at(-1);
  if (!newest) return { block: null, ledgerHeight };
  if (await isOnLedger(ledger, newest)) throw unclear(`block ${newest.hash} is on the ledger, and nothing follows it`);
  // Every block before one that is on the ledger is on it too.
  let [common, other] = [-1, recorded.length - 1];
  while (other - common > 1) {
    const middle = Math.floor((common + other) / 2);
    const block = recorded[middle];
    if (block && (await isOnLedger(ledger, block))) common = middle;
    else other = middle;
  }
  const block = recorded[common] ?? null;
  if (block) await requireOtherChain(ledger, block, recorded[other]);
  return { block, ledgerHeight };
}

async function requireOtherChain(
  ledger: Ledger,
  { hash, height }: FollowedBlock,
  replaced: FollowedBlock | undefined,
): Promise<void> {
  const next = (await ledger.nextBlocks(hash))?.at(0);
  if (next?.previousHash !== hash || next.height !== height + 1 || next.hash === replaced?.hash)
    throw unclear(`no other block follows block ${hash}`);
}

async function isOnLedger(ledger: Ledger, { height, hash }: FollowedBlock): Promise<boolean> {
  return (await blockAt(ledger, height)).hash === hash;
}

/** The ledger's block at a height. */
async function blockAt(ledger: Ledger, height: number): Promise<Block> {
  const block = await ledger.block(height);
  if (block?.height !== height) throw unclear(`no block at height ${height}`);
  return block;
}

function unclear(reason: string): ServiceError {
  return new ServiceError('LEDGER_UNAVAILABLE', { reason });
}

/**
 * Undoes the effects of blocks that are no longer on the ledger; their transactions are to be sent again. What reaches deeper
 * than `maxRollback` undoes nothing and holds the follower until an operator decides.
 */
export async function rollBack(context: WorkerContext, tip: FollowedBlock): Promise<'rollback' | 'held'> {
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

/** Sets the transactions in blocks above a height back to submitted, with all effects, newest first; returns how many. */
async function undoTransactionsAbove(
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

async function hold(context: WorkerContext, tip: FollowedBlock, fork: Fork['block']): Promise<'held'> {
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

/** A new history may undo everything, which is more than one Postgres transaction should hold. */
const UNDONE_AT_ONCE = 200;

/**
 * Takes over the ledger's history from a height on, as an operator has accepted: undoes what the recorded blocks from there on
 * decided, and forgets these blocks, so that the ledger's are read instead. Does nothing and returns false while nothing is accepted,
 * or when the histories part elsewhere by now: the operator has reviewed another fork.
 */
async function acceptHistory(context: WorkerContext, tip: FollowedBlock, hold: LedgerHold | null): Promise<boolean> {
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
  { unitOfWork, onQuarantine }: WorkerContext,
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

/** Why the ledger is not followed, for an operator. */
export function ledgerHoldText({ since, tipHeight, forkHeight, acceptedFrom }: LedgerHold): string {
  const parting =
    forkHeight === null
      ? `The ledger has none of the blocks that were followed up to ${tipHeight}`
      : `The ledger has other blocks after block ${forkHeight}; ${tipHeight - forkHeight} followed blocks are no longer on it`;
  const next =
    acceptedFrom === null
      ? 'No block is read until an operator accepts this (npm run ops -- ledger accept).'
      : `Its history is accepted from block ${acceptedFrom} on.`;
  return `${parting}, since ${isoText(since)}. ${next}`;
}
