import { buildDepositReturn } from '../../chain/build/deposit-return.ts';
import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import { refundReasonOf } from '../../domain/vault/vault.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { depositsInQuarantine } from '../../store/quarantine.ts';
import { depositsInLiveTransactions, linkDeposits } from '../../store/transaction-deposits.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { platformTtlSlot } from '../../chain/ledger/deadline.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { DepositContext } from './deposit-context.ts';
import { detectReturnedDeposits, type PresentDeposit } from './detect-reclaims.ts';
import { nextPresentDeposits } from './next-present-deposits.ts';
import { undoReclaims } from './record-reclaims.ts';
import { readStoredDeposits, type StoredDeposit } from '../../store/vault-deposits.ts';

/**
 * Builds and records the next refund of a vault, which returns deposits whole but for their share of the fee: all deposits of a
 * failed vault but those in quarantine, otherwise those that do not count in its settlement (design D41). Null when all are
 * returned. Throws LEDGER_UNAVAILABLE.
 */
export async function prepareRefund(
  context: DepositContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const live = await liveTransaction(context, vaultId, 'refund');
  if (live && !isOnLedger(live.state)) return { transactionId: live.id };
  const vault = await getVault(context.db, vaultId);
  const isSettling =
    refundReasonOf(vault.failedBecause) === null && (await liveTransaction(context, vaultId, 'mint')) === null;
  // From T on a vault without a mint fails, and then returns these deposits with all others.
  if (isSettling && now >= vault.settlesBy) return null;
  const open = await nextReturns(context, vault, now);
  if (open.length === 0) return null;

  const chain = await context.networkState();
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

/** The next deposits to return; records which of them owners have reclaimed, and which reclaims were rolled back. */
async function nextReturns(context: DepositContext, vault: Vault, now: Instant): Promise<readonly PresentDeposit[]> {
  const { db, unitOfWork } = context;
  const [stored, inRefunds, inQuarantine] = await Promise.all([
    readStoredDeposits(db, vault.id),
    depositsInLiveTransactions(db, vault.id, 'refund'),
    depositsInQuarantine(db, vault.id),
  ]);
  const hasFailed = refundReasonOf(vault.failedBecause) !== null;
  const deposits = stored.filter(({ depositId, isReturned }) =>
    hasFailed ? !inQuarantine.has(depositId) : isReturned,
  );
  const returned =
    now < vault.settlesBy ? [] : await detectReturnedDeposits(context, vault, deposits.filter(isReclaimed));
  if (returned.length > 0) await unitOfWork((transaction) => undoReclaims({ ...transaction, now }, vault.id, returned));

  const open = deposits.filter(
    (deposit) => !inRefunds.has(deposit.depositId) && (!deposit.isReclaimed || returned.includes(deposit)),
  );
  return (await nextPresentDeposits(context, vault, open, now)).present;
}

const isReclaimed = (deposit: StoredDeposit) => deposit.isReclaimed;
