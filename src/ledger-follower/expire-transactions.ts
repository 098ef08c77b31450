import { settleAll, throwFailures } from '../platform/errors/failures.ts';
import { type Clock, wallClock } from '../platform/units/clock.ts';
import { secondsAfter } from '../platform/units/instant.ts';
import { isOpen, isOnLedger } from '../transactions/rules/transaction-state.ts';
import { type FollowedBlock, followedBlock, followedTip, lockTip } from './queries/blocks.ts';
import { type ChainTransaction, lockTransaction } from '../transactions/queries/chain-transactions.ts';
import { findTransactionsToExpire, markExpiryFailed } from './queries/followed-transactions.ts';
import { heldForNothing } from '../transactions/queries/held-for-nothing.ts';
import { unrecordedLandings } from '../transactions/queries/unrecorded-landings.ts';
import { followsExpired } from '../transactions/queries/vault-transactions.ts';
import { recordMove } from './effects/transactions.ts';
import { isStepOfVault } from '../transactions/step-of-vault.ts';
import { endHold, holdForOperator } from '../vaults/holds.ts';
import type { WorkerContext } from '../worker-context.ts';
import { findLanded } from './find-landed.ts';

const ASKED_AT_ONCE = 10;
/** Few enough to be read at once. */
const PORTION = 200;
/** About the time between two blocks: what is left then goes on with the next one, which also brings new ones to be sent again. */
const SECONDS = 15;

type Context = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'confirmationDepth' | 'onQuarantine' | 'onUnjustified'
>;

type Candidate = Pick<ChainTransaction, 'id' | 'hash'>;

/**
 * Expires the transactions that no block can have any more: a final block is past their TTL, no followed block has them, and the
 * ledger does not know their hash (design D45). What landed and could not be recorded is tried again. Thousands may expire with one block,
 * so it takes portion after portion while there is time. Throws an AggregateError at the end when some could not be expired.
 */
export async function expireTransactions(context: Context, clock: Clock = wallClock): Promise<void> {
  const { db, confirmationDepth } = context;
  const tip = await followedTip(db);
  // Slots never decrease from block to block, so a transaction cannot land after a final block past its TTL.
  const finalBlock = tip && (await followedBlock(db, tip.height - confirmationDepth + 1));
  if (!finalBlock) return;
  const end = secondsAfter(clock.now(), SECONDS);
  const tried = new Set<string>();
  const unrecorded = await unrecordedLandings(db, finalBlock.slot, PORTION);
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
async function comesLastUnless(settle: typeof expire, context: Context, candidate: Candidate): Promise<void> {
  try {
    await settle(context, candidate);
  } catch (error) {
    await markExpiryFailed(context.db, candidate.id);
    throw error;
  }
}

async function expire(context: Context, candidate: Candidate): Promise<void> {
  // One that is in no followed block stays open, but comes after all others: two hundred such ones would keep all from expiring.
  if (await findLanded(context, candidate)) return markExpiryFailed(context.db, candidate.id);
  await context.unitOfWork(async (work) => {
    const current = await lockTransaction(work.tx, candidate.id);
    if (!current || !isOpen(current.state) || isOnLedger(current.state)) return;
    await recordMove(work, current, { to: 'expired', reason: reasonOf(current) }, context.onQuarantine);
    // Its workflow may miss it between two of its runs.
    if (isStepOfVault(current) && (await followsExpired(work.tx, current)))
      await holdForOperator(work, current.vaultId, 'repeated_failures');
  });
}

/**
 * Records a landing that could not be recorded before, unless a rollback has undone it. Throws UnreadableRow while its row is not mended, and
 * LEDGER_UNAVAILABLE.
 */
async function recordMended(context: Context, candidate: Candidate): Promise<void> {
  if (await findLanded(context, candidate)) return;
  await context.unitOfWork(async ({ tx }) => {
    if (await lockTransaction(tx, candidate.id)) await markExpiryFailed(tx, candidate.id, false);
  });
}

/** Ends holds for landings that could not be recorded (record-blocks.ts), however the last of a vault came to be recorded or ended. */
async function endHolds({ db, unitOfWork }: Context, tip: FollowedBlock): Promise<void> {
  if ((await heldForNothing(db)).length === 0) return;
  await unitOfWork(async (work) => {
    // No block is recorded meanwhile, which might hold one again.
    await lockTip(work.tx, tip);
    for (const vaultId of await heldForNothing(work.tx)) await endHold(work, vaultId, 'quarantined');
  });
}

function reasonOf({ state, error, refusal }: ChainTransaction): string {
  // A withdrawn transaction has the reason of its withdrawal.
  if (state === 'awaiting_signatures' && error !== null) return error;
  return refusal === null ? 'its validity has passed' : `its validity has passed; ${refusal}`;
}
