import { recordMove } from './effects.ts';
import type { LedgerNews } from './follow-ledger.ts';
import { signedBytes } from './verify-confirmed.ts';
import { type FollowedBlock, followedBlock, followedTip, lockTip } from './queries/blocks.ts';
import {
  directSubmissions,
  markSent,
  unseenTransactions,
  findTransactionsToExpire,
  markExpiryFailed,
} from './queries/followed-transactions.ts';
import { findConfirmed } from './record-blocks.ts';
import { ServiceError, runAll, settleAll, throwFailures } from '../platform/errors.ts';
import { wallClock, type Clock, type Instant, secondsAfter } from '../platform/units/time.ts';
import {
  readTransaction,
  type TransactionRow,
  type ChainTransaction,
  lockTransaction,
} from '../transactions/queries/transactions.ts';
import { staleQuarantineHolds, storeSigned, unrecordedConfirmations } from '../transactions/queries/changes.ts';
import { followsExpired } from '../transactions/queries/listed-transactions.ts';
import { isOpen, isOnLedger } from '../transactions/rules.ts';
import { isStepOfVault } from '../transactions/record-transaction.ts';
import { submitTransaction } from '../transactions/submit-transaction.ts';
import { endHold, holdForOperator } from '../vaults/holds.ts';
import type { WorkerContext } from '../worker-context.ts';

const ASKED_AT_ONCE = 10;

/** The news that makes it due to resubmit and expire. */
export type BlockNews = Exclude<LedgerNews, 'nothing' | 'held'>;

/**
 * Does for the open transactions what new blocks make due: sends again what should have been confirmed, expires what no longer can, and
 * stores what wallets have submitted themselves.
 */
export async function resubmitAndExpire(context: WorkerContext, news: BlockNews): Promise<void> {
  await runAll([() => storeAndResend(context, news), () => expireTransactions(context)], 2);
}

/** What could not be stored does not keep the others from being sent again. */
async function storeAndResend(context: WorkerContext, news: BlockNews): Promise<void> {
  const resend = news === 'rollback' ? resendAll : resendUnseen;
  await runAll([() => storeDirectSubmissions(context), () => resend(context)], 1);
}

/** Stores the signed bytes of transactions that wallets have submitted themselves, so that these too are sent again after a rollback. */
async function storeDirectSubmissions({ db, ledger }: WorkerContext): Promise<void> {
  const failures = await settleAll(await directSubmissions(db), ASKED_AT_ONCE, async ({ id, hash }) => {
    const signed = await signedBytes(ledger, hash);
    if (signed !== null) await storeSigned(db, id, signed);
  });
  throwFailures(failures);
}

/** A transaction is sent again when so many blocks came without it. */
const RESEND_AFTER_BLOCKS = 5;
const RESENDS_AT_ONCE = 20;
/** After a rollback as many are sent as there is time for until about the next block; the others come with later ones. */
const SECONDS = 15;

/** Sends transactions again that should have been confirmed by now. */
async function resendUnseen(context: WorkerContext): Promise<void> {
  const now = await context.readingTime();
  const patience = Math.ceil((RESEND_AFTER_BLOCKS * context.blockMs) / 1000);
  const unseen = await unseenTransactions(context.db, secondsAfter(now, -patience), { limit: RESENDS_AT_ONCE, now });
  throwFailures(await resend(context, unseen, now));
}

/** Sends every submitted transaction again that is not in a block, while there is time. */
export async function resendAll(context: WorkerContext): Promise<void> {
  const now = await context.readingTime();
  const end = secondsAfter(wallClock.now(), SECONDS);
  const [sent, failures] = [new Set<string>(), [] as unknown[]];
  for (;;) {
    const found = await unseenTransactions(context.db, now, { limit: RESENDS_AT_ONCE, now });
    // What was sent comes again, after all others.
    const unsent = found.filter(({ id }) => !sent.has(id));
    for (const { id } of unsent) sent.add(id);
    failures.push(...(await resend(context, unsent, now)));
    if (unsent.length < RESENDS_AT_ONCE || wallClock.now() >= end) break;
  }
  throwFailures(failures);
}

/**
 * Sends transactions again, and returns what failed. If an outcome is unclear, a later block sends them again. One that cannot be sent keeps
 * the others waiting only where the ledger is why.
 */
async function resend(context: WorkerContext, unseen: readonly TransactionRow[], now: Instant): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const row of unseen) {
    // Marked before it is sent: if sending fails, the other transactions still come first next time.
    await markSent(context.db, row.id, now);
    try {
      await submitTransaction(context, readTransaction(row), now);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'LEDGER_UNAVAILABLE') throw error;
      failures.push(error);
    }
  }
  return failures;
}

/** Few enough to be read at once. */
const PORTION = 200;

type Candidate = Pick<ChainTransaction, 'id' | 'hash'>;

/**
 * Expires the transactions that no block can have any more: a final block is past their TTL, no followed block has them, and the ledger does not
 * know their hash (design D45). What was confirmed and could not be recorded is tried again. Thousands may expire with one block, so it takes
 * portion after portion while there is time.
 */
export async function expireTransactions(context: WorkerContext, clock: Clock = wallClock): Promise<void> {
  const { db, confirmationDepth } = context;
  const tip = await followedTip(db);
  // Slots never decrease from block to block, so a transaction cannot be confirmed after a final block past its TTL.
  const finalBlock = tip && (await followedBlock(db, tip.height - confirmationDepth + 1));
  if (!finalBlock) return;
  const end = secondsAfter(clock.now(), SECONDS);
  const tried = new Set<string>();
  const unrecorded = await unrecordedConfirmations(db, finalBlock.slot, PORTION);
  const failures: unknown[] = await settleAll(unrecorded, ASKED_AT_ONCE, (candidate) =>
    comesLastUnless(recordMended, context, candidate),
  );
  for (let isLast = false; !isLast;) {
    const found = await findTransactionsToExpire(db, finalBlock.slot, PORTION);
    // What could not be expired is found again, after all others.
    const portion = found.filter(({ id }) => !tried.has(id));
    for (const { id } of portion) tried.add(id);
    const failed = await settleAll(portion, ASKED_AT_ONCE, (candidate) => comesLastUnless(expire, context, candidate));
    failures.push(...failed);
    // A ledger that answers for none of a portion will hardly answer for the next one.
    isLast = portion.length < PORTION || failed.length === PORTION || clock.now() >= end;
  }
  failures.push(...(await settleAll([endHolds], 1, (end) => end(context, tip))));
  throwFailures(failures);
}

/** What fails is tried again after all others of which that is not certain either: a portion of such ones would keep the rest waiting. */
async function comesLastUnless(settle: typeof expire, context: WorkerContext, candidate: Candidate): Promise<void> {
  try {
    await settle(context, candidate);
  } catch (error) {
    await markExpiryFailed(context.db, candidate.id);
    throw error;
  }
}

async function expire(context: WorkerContext, candidate: Candidate): Promise<void> {
  // One that is in no followed block stays open, but comes after all others: two hundred such ones would keep all from expiring.
  if (await findConfirmed(context, candidate)) return markExpiryFailed(context.db, candidate.id);
  await context.unitOfWork(async (work) => {
    const current = await lockTransaction(work.tx, candidate.id);
    if (!current || !isOpen(current.state) || isOnLedger(current.state)) return;
    await recordMove(work, current, { to: 'expired', reason: reasonOf(current) }, context.onQuarantine);
    // Its workflow may miss it between two of its runs.
    if (isStepOfVault(current) && (await followsExpired(work.tx, current)))
      await holdForOperator(work, current.vaultId, 'repeated_failures');
  });
}

/** Records a confirmation that could not be recorded before, unless a rollback has undone it. */
async function recordMended(context: WorkerContext, candidate: Candidate): Promise<void> {
  if (await findConfirmed(context, candidate)) return;
  await context.unitOfWork(async ({ tx }) => {
    if (await lockTransaction(tx, candidate.id)) await markExpiryFailed(tx, candidate.id, false);
  });
}

/** Ends holds for confirmations that could not be recorded (record-blocks.ts), however the last of a vault came to be recorded or ended. */
async function endHolds({ db, unitOfWork }: WorkerContext, tip: FollowedBlock): Promise<void> {
  if ((await staleQuarantineHolds(db)).length === 0) return;
  await unitOfWork(async (work) => {
    // No block is recorded meanwhile, which might hold one again.
    await lockTip(work.tx, tip);
    for (const vaultId of await staleQuarantineHolds(work.tx)) await endHold(work, vaultId, 'quarantined');
  });
}

function reasonOf({ state, error, refusal }: ChainTransaction): string {
  // A withdrawn transaction has the reason of its withdrawal.
  if (state === 'awaiting_signatures' && error !== null) return error;
  return refusal === null ? 'its validity has passed' : `its validity has passed; ${refusal}`;
}
