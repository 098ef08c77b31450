import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { outputUtxo, type Utxo } from '../cardano/transaction.ts';
import { moveTransaction } from '../ledger-follower/effects.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { instant, type Instant, secondsAfter } from '../platform/units/time.ts';
import { type ChainTransaction, lockTransactions } from '../transactions/queries/transactions.ts';
import { heldByAnchorChain } from '../transactions/queries/utxo-leases.ts';
import { recordSubmission, type Submission } from '../transactions/submission.ts';
import { isOpen } from '../transactions/rules.ts';
import { sendTransaction } from '../transactions/submit-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';
import { buildNextAnchor, freeOutputs, REFILL_THRESHOLD } from './anchor-chain.ts';
import {
  type AnchorBatch,
  recordAnchor,
  replaceAnchor,
  unconfirmedBatches,
  waitingBatches,
} from './queries/anchor-batches.ts';
import { lockAnchorChain, setAnchorChainTip } from './queries/anchor-chains.ts';

/** Few enough that the first of them does not look unsent for long. */
const RECORDED_AT_ONCE = 50;
/** A refused anchor is not rebuilt at once, so that a defect does not flood the ledger. */
const SECONDS_AFTER_REFUSAL = 10;
/** More than one anchor costs, in lovelace. */
const MAX_FEE = 250_000n;

/**
 * Rebuilds the anchors of an anchor chain that can no longer be confirmed, and submits its pending ones in order. Stops at the first whose
 * outcome is unclear.
 */
export async function sendAnchors(context: WorkerContext, anchorChainId: string): Promise<Submission> {
  let waiting = await waitingBatches(context.db, anchorChainId);
  if (waiting.some(isBroken)) {
    await rebuildAnchorChain(context, anchorChainId);
    waiting = await waitingBatches(context.db, anchorChainId);
  }
  const pending = waiting.flatMap(({ transaction }) => (transaction.state === 'pending' ? [transaction] : []));
  for (let first = 0; first < pending.length; first += RECORDED_AT_ONCE) {
    const submission = await sendAsOne(context, pending.slice(first, first + RECORDED_AT_ONCE));
    if (submission !== 'done') return submission;
  }
  return 'done';
}

/** Submits transactions in order, and records together which of them the ledger has accepted. */
async function sendAsOne(context: WorkerContext, transactions: readonly ChainTransaction[]): Promise<Submission> {
  const now = await context.readingTime();
  const accepted: ChainTransaction[] = [];
  try {
    for (const transaction of transactions) {
      const sent = await sendTransaction(context, transaction, now);
      if (sent === 'accepted') accepted.push(transaction);
      else if (sent !== 'done') return sent;
    }
    return 'done';
  } finally {
    if (accepted.length > 0) await recordSubmission(context, accepted, { refusal: null, now });
  }
}

/** Whether the anchor can no longer be confirmed, so that it and all after it in its anchor chain have to be rebuilt. */
function isBroken({ transaction: { state } }: AnchorBatch): boolean {
  return state === 'expired' || state === 'failed';
}

/**
 * Rebuilds the first anchor of an anchor chain that can no longer be confirmed, and all that depend on it, from what the anchor chain holds on the
 * ledger. The first one spends again what the one it replaces would have spent, so that both can never be confirmed (design §5).
 */
async function rebuildAnchorChain(
  { db, unitOfWork, ledger, networkState, keys }: WorkerContext,
  anchorChainId: string,
): Promise<void> {
  const { operator } = keys;
  const [chain, onLedger, free] = await Promise.all([
    networkState(),
    ledger.utxos(operator.address),
    freeOutputs(db, ledger, operator.address),
  ]);
  await unitOfWork(async (context) => {
    const { tx } = context;
    await lockAnchorChain(tx, anchorChainId);
    const unconfirmed = await unconfirmedBatches(tx, anchorChainId);
    const first = unconfirmed.findIndex(isBroken);
    const broken = first === -1 ? [] : unconfirmed.slice(first);
    const [cause] = broken;
    if (!cause) return;
    requireCooledDown(cause, context.now);
    await failDependents(context, broken);
    const predecessor = unconfirmed[first - 1];
    const held = await heldByAnchorChain(tx, anchorChainId, onLedger);
    const base = [...(predecessor ? [outputUtxo(predecessor.transaction, 0)] : []), ...held];
    const inputs = withReserve(base, free, broken.length);
    await rebuildBatches(context, { anchorChainId, broken, chain, operator, inputs });
  });
}

function requireCooledDown({ transaction }: AnchorBatch, now: Instant): void {
  const { state, hash, error, updatedAt } = transaction;
  if (state === 'failed' && now < secondsAfter(updatedAt, SECONDS_AFTER_REFUSAL))
    throw new Error(`anchor ${hash} was refused and will be rebuilt: ${error ?? 'no reason given'}`);
}

async function failDependents(context: TransactionContext, broken: readonly AnchorBatch[]): Promise<void> {
  const reason = 'an anchor before it in its chain can no longer land';
  const ids = broken.map(({ transaction }) => transaction.id);
  const locked = new Map((await lockTransactions(context.tx, ids)).map((current) => [current.id, current]));
  for (const id of ids.toReversed()) {
    const current = locked.get(id);
    if (current && isOpen(current.state)) await moveTransaction(context, current, { to: 'failed', reason });
  }
}

/** Adds free outputs until the anchor chain can pay for so many anchors and is not below the refill threshold afterwards. */
function withReserve(base: readonly Utxo[], free: readonly Utxo[], anchors: number): Utxo[] {
  const inputs = [...base];
  const needed = REFILL_THRESHOLD + MAX_FEE * BigInt(anchors);
  for (const output of free) {
    if (inputs.reduce((sum, utxo) => sum + utxo.lovelace, 0n) >= needed) break;
    inputs.push(output);
  }
  return inputs;
}

interface Rebuild {
  readonly anchorChainId: string;
  readonly broken: readonly AnchorBatch[];
  readonly chain: NetworkState;
  readonly operator: WorkerContext['keys']['operator'];
  readonly inputs: readonly Utxo[];
}

async function rebuildBatches(
  { tx, ids, now }: TransactionContext,
  { anchorChainId, broken, chain, operator, inputs }: Rebuild,
): Promise<void> {
  let next = inputs;
  for (const [position, { id, root, count }] of broken.entries()) {
    const { built, expiresAt } = buildNextAnchor(chain, now, { operator, inputs: next, root, count });
    const transactionId = ids.next();
    // Anchors are sent in the order of these instants.
    const madeAt = instant(now + position);
    if (!(await recordAnchor({ tx, ids, now: madeAt }, { anchorChainId, transactionId, built, expiresAt })))
      throw new Error(`another transaction took an output for anchor chain ${anchorChainId} meanwhile`);
    await replaceAnchor(tx, id, transactionId);
    const tip = outputUtxo(built, 0);
    await setAnchorChainTip(tx, anchorChainId, tip);
    next = [tip];
  }
}
