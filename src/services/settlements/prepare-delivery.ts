import { buildDelivery, type Delivery } from '../../chain/build/delivery.ts';
import { settlementScript } from '../../chain/scripts/vault-scripts.ts';
import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Entitlement } from '../../store/entitlements.ts';
import { linkDeposits } from '../../store/transaction-deposits.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { latestLive, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { DepositContext } from './deposit-context.ts';
import type { PresentDeposit } from './detect-reclaims.ts';
import { nextPresentDeposits } from './next-present-deposits.ts';
import type { DepositRef } from '../../store/transaction-deposits.ts';
import {
  readSettlement,
  settlementOutput,
  type SettlementState,
  settlementTransactions,
  settlementTtlSlot,
  undelivered,
} from './settlement-state.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import type { StoredDeposit } from '../../store/vault-deposits.ts';
import { undoRolledBackReclaims } from './undo-rolled-back-reclaims.ts';

/**
 * Builds and records the next delivery of a settlement: deposits are taken in the order of their entitlements, contributors
 * after all investors, so the ADA for contributors is known to have come in. Null when everything is delivered, or when the
 * mint is not live. Throws LEDGER_UNAVAILABLE.
 */
export async function prepareDelivery(
  context: DepositContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const transactions = await settlementTransactions(context.db, vaultId);
  const live = latestLive(transactions, 'deliver');
  if (live && !isOnLedger(live.state)) return { transactionId: live.id };
  if (!latestLive(transactions, 'mint')) return null;
  const stored = await readSettlement(context.db, vaultId, transactions);
  const settlement = await undoRolledBackReclaims(context, stored, now);
  const deliveries = await nextDeliveries(context, settlement, now);
  if (deliveries.length === 0) return null;

  const { vault } = settlement;
  const chain = await context.networkState();
  const built = buildDelivery(chain, {
    settlement: settlementOutput(settlement),
    settlementScript: settlementScript(vault),
    vaultKeyHash: vault.settlementKeyHash,
    custodyAddress: vault.contractAddress,
    ftUnit: requireFtUnit(vault),
    deliveries,
    ttlSlot: settlementTtlSlot(vault, chain.anchor, now),
  });
  const deposits = deliveries.slice(0, built.taken).map(({ depositId, depositKind }, position) => ({
    depositId,
    depositKind,
    payment: { ...built.payments[position] },
  }));
  const record = { kind: 'deliver', vault, built: built.transaction, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, (tx, transactionId) => linkDeposits(tx, transactionId, deposits));
}

/** The next deliveries of deposits that are still in the vault; records those that owners have reclaimed. */
async function nextDeliveries(
  context: DepositContext,
  settlement: SettlementState,
  now: Instant,
): Promise<(Delivery & DepositRef)[]> {
  const deposits = undelivered(settlement).map(({ depositId }) => depositIn(settlement, depositId));
  const { present, revised, uncertain } = await nextPresentDeposits(context, settlement.vault, deposits, now);
  // What contributors get depends on it.
  const investment = uncertain.find(({ stored }) => stored.depositKind === 'investment');
  const payable = investment ? present.filter(({ depositKind }) => depositKind === 'investment') : present;
  if (investment && payable.length === 0) throw investment.error;
  return deliveriesOf(payable, revised ?? settlement.entitlements);
}

function depositIn({ vault, deposits }: SettlementState, depositId: string): StoredDeposit {
  const deposit = deposits.get(depositId);
  if (!deposit) throw new Error(`deposit ${depositId} is not in vault ${vault.id}`);
  return deposit;
}

function deliveriesOf(
  deposits: readonly PresentDeposit[],
  entitlements: readonly Entitlement[],
): (Delivery & DepositRef)[] {
  const byDeposit = new Map(entitlements.map((entitlement) => [entitlement.depositId, entitlement]));
  return deposits.map(({ deposit, depositId, depositKind, invested }) => {
    const entitlement = byDeposit.get(depositId);
    if (!entitlement) throw new Error(`deposit ${depositId} has no entitlement`);
    return { ...deposit, depositId, depositKind, invested, ft: entitlement.ft, lovelaceShare: entitlement.owed };
  });
}
