import { Context, sleep } from '@temporalio/activity';
import { wallClock } from '../src/domain/units/clock.ts';
import { type Instant, secondsAfter } from '../src/domain/units/instant.ts';
import {
  appendBlock,
  dropBlocksAbove,
  expiredTransactions,
  type FollowedBlock,
  followedBlock,
  followedTip,
  finalTransactions,
  lockTip,
  directSubmissions,
  landingTransactions,
  latestBlocks,
  markSent,
  transactionsAbove,
  unseenTransactions,
} from '../src/store/blocks.ts';
import { storeSigned } from '../src/store/chain-transactions.ts';
import type { TransactionContext } from '../src/store/transaction-context.ts';
import { moveTransaction } from '../src/services/on-ledger/transactions.ts';
import type { LedgerActivities } from '../src/temporal/activities.ts';
import type { WorkerDeps } from './deps.ts';
import { sendRecorded } from './transactions.ts';

const RUN_SECONDS = 55 * 60;
/** Blocks without a transaction in them before it is sent again. */
const RESEND_AFTER_BLOCKS = 5;
const RESENDS_AT_ONCE = 20;
/** Remembered blocks asked for at once when looking for where a rollback began. */
const FORK_SEARCH = 100;
const BLOCKS_AT_ONCE = 10;

type Deps = Pick<
  WorkerDeps,
  | 'db'
  | 'unitOfWork'
  | 'ids'
  | 'ledger'
  | 'networkState'
  | 'keys'
  | 'outboxRelay'
  | 'networkId'
  | 'confirmationDepth'
  | 'blockMs'
>;

/** Reads each block once for everyone (design §4). */
export function createLedgerActivities(deps: Deps): LedgerActivities {
  return {
    async followLedger() {
      const end = secondsAfter(wallClock.now(), RUN_SECONDS);
      const { cancellationSignal } = Context.current();
      while (wallClock.now() < end && !cancellationSignal.aborted) {
        const moved = await followOnce(deps);
        deps.outboxRelay.deliver();
        if (!moved) await sleep(Math.min(deps.blockMs / 4, 5000));
      }
    },
  };
}

/** Takes in what is new on the ledger; false when nothing is. Raises LEDGER_UNAVAILABLE. */
async function followOnce(deps: Deps): Promise<boolean> {
  const tip = await followedTip(deps.db);
  if (tip === null) {
    const first = await deps.ledger.latestBlock();
    await deps.unitOfWork(async ({ tx, now }) => {
      if (await lockTip(tx, null)) await appendBlock(tx, first, now);
    });
    return true;
  }
  const blocks = await deps.ledger.nextBlocks(tip.hash);
  if (blocks === null) {
    await rollBack(deps, tip);
    return true;
  }
  await takeBlocks(deps, tip, blocks);
  if (blocks.length === 0) return false;
  await keepBytesSentPastUs(deps);
  await resendUnseen(deps);
  return true;
}

/** Takes in blocks in their order, asking for several at a time so that a follower that was away catches up quickly. */
async function takeBlocks(deps: Deps, tip: FollowedBlock, blocks: readonly FollowedBlock[]): Promise<void> {
  let last = tip;
  for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
    const chunk = blocks.slice(first, first + BLOCKS_AT_ONCE);
    const contents = await Promise.all(chunk.map(({ hash }) => deps.ledger.blockTransactions(hash)));
    for (const [position, block] of chunk.entries()) {
      if (!(await takeBlock(deps, last, block, contents[position] ?? []))) return;
      last = block;
    }
  }
}

/** One Postgres transaction per block; false when another follower was faster. */
async function takeBlock(
  deps: Deps,
  previous: FollowedBlock,
  block: FollowedBlock,
  hashes: readonly string[],
): Promise<boolean> {
  return deps.unitOfWork(async ({ tx, now }) => {
    if (!(await lockTip(tx, previous))) return false;
    const scene = { tx, ids: deps.ids, now };
    await appendBlock(tx, block, now);
    for (const landed of await landingTransactions(tx, hashes)) {
      await moveTransaction(scene, landed, { to: 'confirmed', block: { height: block.height, hash: block.hash } });
    }
    await settleDepth(scene, block.height - deps.confirmationDepth + 1);
    return true;
  });
}

/** Keeps the signed bytes of what wallets have sent themselves, so that they too are sent again after a rollback. */
async function keepBytesSentPastUs({ db, ledger, unitOfWork }: Deps): Promise<void> {
  for (const { id, hash } of await directSubmissions(db)) {
    const signed = await ledger.transactionCbor(hash);
    if (signed !== null) await unitOfWork(({ tx }) => storeSigned(tx, id, signed));
  }
}

/** What lies at this height or below will not change any more. */
async function settleDepth(scene: TransactionContext, height: number): Promise<void> {
  for (const transaction of await finalTransactions(scene.tx, height)) {
    await moveTransaction(scene, transaction, { to: 'final' });
  }
  // A block is never older than the one before it, so past a final block of its TTL a transaction can land nowhere.
  const deep = await followedBlock(scene.tx, height);
  if (!deep) return;
  for (const transaction of await expiredTransactions(scene.tx, deep.slot)) {
    // What was withdrawn ended by that.
    const withdrawn = transaction.state === 'awaiting_signatures' ? transaction.error : null;
    await moveTransaction(scene, transaction, { to: 'expired', reason: withdrawn ?? 'its validity has passed' });
  }
}

/** Undoes what the vanished blocks had caused; their transactions are sent again. */
async function rollBack(deps: Deps, tip: FollowedBlock): Promise<void> {
  const fork = await findFork(deps);
  await deps.unitOfWork(async ({ tx, now }) => {
    if (!(await lockTip(tx, tip))) return;
    const scene = { tx, ids: deps.ids, now };
    for (const transaction of await transactionsAbove(tx, fork.height)) {
      const reason = `block ${transaction.blockHeight} was rolled back`;
      await moveTransaction(scene, transaction, { to: 'submitted', direction: 'rollback', block: null, reason });
    }
    await dropBlocksAbove(tx, fork.height);
  });
  await resend(deps, (now) => now);
}

/** The newest remembered block that is still on chain. */
async function findFork({ db, ledger }: Deps): Promise<FollowedBlock> {
  for (let limit = FORK_SEARCH; ; limit *= 4) {
    const remembered = await latestBlocks(db, limit);
    for (const block of remembered) {
      if (await ledger.block(block.hash)) return block;
    }
    if (remembered.length < limit) throw new Error('the ledger was rolled back further than is remembered');
  }
}

async function resendUnseen(deps: Deps): Promise<void> {
  const patience = Math.ceil((RESEND_AFTER_BLOCKS * deps.blockMs) / 1000);
  await resend(deps, (now) => secondsAfter(now, -patience));
}

/** Sends again what was last changed before an instant; what is still unclear then is left to the next block. */
async function resend(deps: Deps, before: (now: Instant) => Instant): Promise<void> {
  const now = await deps.unitOfWork((work) => Promise.resolve(work.now));
  for (const transaction of await unseenTransactions(deps.db, before(now), RESENDS_AT_ONCE)) {
    // Before it is sent: whatever comes of it, the others come first next time.
    await markSent(deps.db, transaction.id, now);
    await sendRecorded(deps, transaction, now);
  }
}
