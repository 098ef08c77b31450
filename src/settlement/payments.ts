import { type DepositRow, readDeposit } from '../assets/queries/deposits.ts';
import { buildSoundDelivery, type Delivery } from '../cardano/build/settlement.ts';
import { buildDepositReturn, depositOf } from '../cardano/build/deposits.ts';
import { platformTtlSlot } from '../cardano/ledger/http.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { settlementScript } from '../cardano/scripts/vault-scripts.ts';
import { depositsInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import type { Db } from '../platform/database/database.ts';
import { ServiceError } from '../platform/errors.ts';
import type { NextBatch } from '../platform/temporal/activity-types.ts';
import type { Instant } from '../platform/units/time.ts';
import { type UnspentDeposit, undoRolledBackReclaims } from './reclaims.ts';
import { chainEnd, settlementTtlSlot } from './mint.ts';
import { type NextUnspent, nextUnspentDeposits } from './plan-settlement.ts';
import {
  type BatchKind,
  type OpenBatch,
  openBatches,
  depositsToPay,
  type DepositPages,
  keepOf,
  failedPayments,
  depositsToReturn,
} from './queries/payments.ts';
import { entitlementsOfDeposits } from './queries/settlements.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import { linkDeposits, type DepositRef } from '../transactions/queries/recorded-transactions.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault.ts';
import { refundReasonOf } from '../vaults/rules/vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A block of the ledger holds five transactions of full size, and its mempool two blocks. */
const BATCHES_IN_FLIGHT = 5;

/**
 * What to do before another batch is built: send one that was recorded and not sent, or wait for those that were sent; null when
 * another may be sent as well.
 */
async function batchBefore(
  db: Db,
  { vaultId, kind, now }: { vaultId: string; kind: BatchKind; now: Instant },
): Promise<{ readonly open: readonly OpenBatch[]; readonly next: NextBatch | null }> {
  const open = await openBatches(db, vaultId, kind);
  const unsent = open.find(({ state, expiresAt }) => state === 'pending' && now < expiresAt);
  if (unsent) return { open, next: { kind: 'send', transactionId: unsent.id } };
  // The next delivery spends an output of the last, so what may never be confirmed is waited for. Refunds are independent.
  const isDoubtful = kind === 'deliver' && open.some(({ refusal, expiresAt }) => refusal !== null || expiresAt <= now);
  return { open, next: open.length >= BATCHES_IN_FLIGHT || isDoubtful ? waitFor(open) : null };
}

/** Nothing is left to build: done, once nothing is under way. */
function waitFor([first]: readonly OpenBatch[]): NextBatch {
  return first ? { kind: 'wait', transactionId: first.id } : { kind: 'done' };
}

/**
 * Builds and records the next delivery of a settlement, as long as few are in flight: deposits are taken in the order of their
 * entitlements, contributors after all investors. Each delivery spends what the one before leaves, so the ADA for contributors has
 * come in when they are paid. Done when everything is delivered, or when the mint is not live.
 */
export async function nextDelivery(
  context: WorkerContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<NextBatch> {
  const { open, next: before } = await batchBefore(context.db, { vaultId, kind: 'deliver', now });
  if (before) return before;
  if (!(await liveTransaction(context, vaultId, 'mint'))) return waitFor(open);
  const vault = await getVault(context.db, vaultId);
  await undoRolledBackReclaims(context, vault, now);
  const pages = () => depositsToPay(context.db, vaultId);
  const batches = { kind: 'deliver', pages, isSound: () => true, now } as const;
  const doubts: unknown[] = [];
  for await (const { present, uncertain } of nextPaymentBatches(context, vault, batches)) {
    doubts.push(...uncertain.map(({ error }) => error));
    if (present.length === 0) continue;
    const next = await deliver(context, vault, present, now);
    if (!(next instanceof ServiceError)) return next;
    doubts.push(next);
  }
  if (open.length === 0 && doubts.length > 0) throw doubts[0];
  return waitFor(open);
}

/** An error when none of the deposits can pay for its delivery today: others may. */
async function deliver(
  context: WorkerContext,
  vault: Vault,
  present: readonly UnspentDeposit[],
  now: Instant,
): Promise<NextBatch | ServiceError> {
  const deliveries = await deliveriesOf(context, vault.id, present);
  try {
    return { kind: 'send', ...(await recordDelivery(context, vault, deliveries, now)) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INSUFFICIENT_FUNDS') return error;
    throw error;
  }
}

type Payable = Delivery & DepositRef;

async function deliveriesOf(
  { db }: Pick<WorkerContext, 'db'>,
  vaultId: string,
  deposits: readonly UnspentDeposit[],
): Promise<Payable[]> {
  const entitlements = await entitlementsOfDeposits(db, vaultId, deposits);
  return deposits.map(({ deposit, depositId, depositKind, invested }) => {
    const entitlement = entitlements.get(depositId);
    if (!entitlement) throw new Error(`deposit ${depositId} has no entitlement`);
    return { ...deposit, depositId, depositKind, invested, ft: entitlement.ft, lovelaceShare: entitlement.owed };
  });
}

async function recordDelivery(context: WorkerContext, vault: Vault, deliveries: readonly Payable[], now: Instant) {
  const chain = await context.networkState();
  const built = buildSoundDelivery(chain, {
    settlement: await chainEnd(context.db, vault, 'delivery'),
    settlementScript: settlementScript(vault),
    vaultKeyHash: vault.settlementKeyHash,
    custodyAddress: vault.contractAddress,
    ftUnit: requireFtUnit(vault),
    deliveries,
    ttlSlot: settlementTtlSlot(vault, chain.anchor, now),
  });
  const deposits = built.deliveries.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
    depositId,
    depositKind,
    payment: { ...built.payments[position] },
  }));
  const record = { kind: 'deliver', vault, built: built.transaction, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, (tx, transactionId) => linkDeposits(tx, transactionId, deposits));
}

interface PaymentBatches {
  readonly kind: 'deliver' | 'refund';
  readonly pages: () => DepositPages;
  readonly isSound: (found: DepositRow) => boolean;
  readonly now: Instant;
}

/**
 * The deposits to deliver or to return together next, then those instead if that cannot be done; in the end none. Those whose delivery or
 * refund has failed come after all others, and by halves, so that one that is wrong is alone in the end. What contributors get depends on
 * each investment: while one is uncertain or has failed, investors alone are paid.
 */
async function* nextPaymentBatches(
  context: WorkerContext,
  vault: Vault,
  { kind, pages, isSound, now }: PaymentBatches,
): AsyncGenerator<NextUnspent, NextUnspent> {
  const failures = await failedPayments(context.db, vault.id, kind);
  const failureCounts = [...new Set([0, ...failures.values()])].toSorted((one, other) => one - other);
  const uncertain = [];
  for (const failureCount of failureCounts) {
    let isAmountOpen = false;
    const isNext = (found: DepositRow) => {
      const isInBatch = (failures.get(found.deposit_id) ?? 0) === failureCount && isSound(found);
      isAmountOpen ||= !isInBatch && found.deposit_kind === 'investment';
      return isInBatch;
    };
    const found = await nextUnspentDeposits(context, vault, () => keepOf(pages(), isNext), now);
    uncertain.push(...found.uncertain);
    isAmountOpen ||= uncertain.some(({ stored }) => stored.depositKind === 'investment');
    const areAllDue = kind === 'refund' || !isAmountOpen;
    const due = found.present.filter(({ depositKind }) => areAllDue || depositKind === 'investment');
    const most = failureCount === 0 ? due.length : Math.ceil(due.length / 2);
    if (most > 0) yield { present: due.slice(0, most), uncertain };
  }
  const nothing = { present: [], uncertain };
  yield nothing;
  return nothing;
}

/**
 * Builds and records the next refund of a vault, as long as few are in flight. It returns deposits whole but for their share of the
 * fee: all deposits of a failed vault but those in quarantine, otherwise those that do not count in its settlement (design D41). Done
 * when all are returned.
 */
export async function nextRefund(
  context: WorkerContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<NextBatch> {
  const { open, next: before } = await batchBefore(context.db, { vaultId, kind: 'refund', now });
  if (before) return before;
  const vault = await getVault(context.db, vaultId);
  const hasFailed = refundReasonOf(vault.failedBecause) !== null;
  const isSettling = !hasFailed && (await liveTransaction(context, vaultId, 'mint')) === null;
  // From T on a vault without a mint fails, and then returns these deposits with all others.
  if (isSettling && now >= vault.settlesBy) return waitFor(open);
  await undoRolledBackReclaims(context, vault, now);
  const pages = () => (hasFailed ? outOfQuarantine(context, vaultId) : depositsToReturn(context.db, vaultId, true));
  const state = { chain: await context.networkState(), now, isSettling };
  const send = async (deposits: readonly UnspentDeposit[]) =>
    ({ kind: 'send', ...(await recordRefund(context, vault, deposits, state)) }) as const;
  const isSound = (row: DepositRow) => isReturnable(state.chain, vault, row);
  const { value: next } = await nextPaymentBatches(context, vault, { kind: 'refund', pages, isSound, now }).next();
  if (next.present.length > 0) return send(next.present);
  if (open.length > 0) return waitFor(open);
  // What is left cannot be returned now. It is tried, so that the hold of the vault says why.
  const left = await nextUnspentDeposits(context, vault, pages, now);
  const [uncertain] = [...next.uncertain, ...left.uncertain];
  if (left.present.length > 0) return send(left.present);
  if (uncertain) throw uncertain.error;
  return waitFor(open);
}

/** Whether a deposit could be returned alone: it is where its row says, and pays the fee and the min-ADA of today. */
function isReturnable(chain: NetworkState, vault: Vault, row: DepositRow): boolean {
  try {
    const deposits = [depositOf(readDeposit(row), vault, chain.networkId)];
    // Any slot: only the length of the transaction matters.
    buildDepositReturn(chain, { deposits, signers: [vault.settlementKeyHash], ttlSlot: chain.anchor.slot });
    return true;
  } catch {
    return false;
  }
}

async function* outOfQuarantine({ db }: Pick<WorkerContext, 'db'>, vaultId: string): DepositPages {
  const inQuarantine = await depositsInQuarantine(db, vaultId);
  yield* keepOf(depositsToReturn(db, vaultId, false), (row) => !inQuarantine.has(row.deposit_id));
}

async function recordRefund(
  context: WorkerContext,
  vault: Vault,
  open: readonly UnspentDeposit[],
  { chain, now, isSettling }: { readonly chain: NetworkState; readonly now: Instant; readonly isSettling: boolean },
) {
  const ttlSlot = platformTtlSlot(chain.anchor, now, isSettling ? vault.settlesBy : null);
  if (ttlSlot === null) throw new Error('a refund cannot land before T any more; the vault fails at T');
  const built = buildDepositReturn(chain, {
    deposits: open.map(({ deposit }) => deposit),
    signers: [vault.settlementKeyHash],
    ttlSlot,
  });
  const deposits = open.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
    depositId,
    depositKind,
    payment: { ...built.payments[position], assets: undefined },
  }));
  const record = { kind: 'refund', vault, built: built.transaction, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, (tx, transactionId) => linkDeposits(tx, transactionId, deposits));
}
