import { depositOf } from '../cardano/build/deposits.ts';
import { buildDepositReturn } from '../cardano/build/deposit-return.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { refundReasonOf } from '../vaults/rules/vault.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type DepositPages, keepOf } from './queries/deposit-pages.ts';
import { depositsToReturn } from './queries/deposits-to-return.ts';
import { depositsInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import { linkDeposits } from '../transactions/queries/transaction-deposits.ts';
import { type DepositRow, readDeposit } from '../assets/queries/vault-deposits.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { NextBatch } from '../platform/temporal/activity-types.ts';
import { platformTtlSlot } from '../cardano/ledger/deadline.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { DepositContext } from './deposit-context.ts';
import type { PresentDeposit } from './detect-reclaims.ts';
import { batchBefore, waitFor } from './next-batch.ts';
import { nextInTurns } from './next-in-turns.ts';
import { nextPresentDeposits } from './next-present-deposits.ts';
import { undoRolledBackReclaims } from './undo-rolled-back-reclaims.ts';

/**
 * Builds and records the next refund of a vault, as long as few are in flight. It returns deposits whole but for their share of the
 * fee: all deposits of a failed vault but those in quarantine, otherwise those that do not count in its settlement (design D41). Done
 * when all are returned. Throws LEDGER_UNAVAILABLE.
 */
export async function nextRefund(
  context: DepositContext,
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
  const moment = { chain: await context.networkState(), now, isSettling };
  const send = async (deposits: readonly PresentDeposit[]) =>
    ({ kind: 'send', ...(await recordRefund(context, vault, deposits, moment)) }) as const;
  const isSound = (row: DepositRow) => isReturnable(moment.chain, vault, row);
  const { value: next } = await nextInTurns(context, vault, { kind: 'refund', pages, isSound, now }).next();
  if (next.present.length > 0) return send(next.present);
  if (open.length > 0) return waitFor(open);
  // What is left cannot be returned now. It is tried, so that the hold of the vault says why.
  const left = await nextPresentDeposits(context, vault, pages, now);
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

async function* outOfQuarantine({ db }: Pick<DepositContext, 'db'>, vaultId: string): DepositPages {
  const inQuarantine = await depositsInQuarantine(db, vaultId);
  yield* keepOf(depositsToReturn(db, vaultId, false), (row) => !inQuarantine.has(row.deposit_id));
}

async function recordRefund(
  context: DepositContext,
  vault: Vault,
  open: readonly PresentDeposit[],
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
