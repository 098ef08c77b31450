import { buildDelivery, type Delivery } from '../../chain/build/delivery.ts';
import { settlementScript } from '../../chain/scripts/vault-scripts.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { depositsToPay } from '../../store/deposits-to-pay.ts';
import { entitlementsOfDeposits } from '../../store/entitlements.ts';
import { linkDeposits } from '../../store/transaction-deposits.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { NextBatch } from '../../temporal/activity-types.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { DepositContext } from './deposit-context.ts';
import { BATCHES_IN_FLIGHT, batchBefore, waitFor } from './next-batch.ts';
import { nextPresentDeposits } from './next-present-deposits.ts';
import type { DepositRef } from '../../store/transaction-deposits.ts';
import { chainEnd, settlementTtlSlot } from './settlement-chain.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { undoRolledBackReclaims } from './undo-rolled-back-reclaims.ts';

/**
 * Builds and records the next delivery of a settlement, as long as few are in flight: deposits are taken in the order of their
 * entitlements, contributors after all investors. Each delivery spends what the one before leaves, so the ADA for contributors has
 * come in when they are paid. Done when everything is delivered, or when the mint is not live. Throws LEDGER_UNAVAILABLE.
 */
export async function nextDelivery(
  context: DepositContext,
  { vaultId, now, inFlight = BATCHES_IN_FLIGHT }: { vaultId: string; now: Instant; inFlight?: number },
): Promise<NextBatch> {
  const { open, next } = await batchBefore(context.db, { vaultId, kind: 'deliver', now, inFlight });
  if (next) return next;
  if (!(await liveTransaction(context, vaultId, 'mint'))) return waitFor(open);
  const vault = await getVault(context.db, vaultId);
  await undoRolledBackReclaims(context, vault, now);
  const found = await nextPresentDeposits(context, vault, () => depositsToPay(context.db, vaultId), now);
  const payable = payableNow(found);
  const [uncertain] = found.uncertain;
  if (payable.length === 0 && open.length === 0 && uncertain) throw uncertain.error;
  return payable.length === 0
    ? waitFor(open)
    : { kind: 'send', ...(await recordDelivery(context, vault, await deliveriesOf(context, vaultId, payable), now)) };
}

type Found = Awaited<ReturnType<typeof nextPresentDeposits>>;
type Payable = Delivery & DepositRef;

/** While it is uncertain whether an investment was reclaimed, investors alone are paid: what contributors get depends on it. */
function payableNow({ present, uncertain }: Found): Found['present'] {
  const isAmountOpen = uncertain.some(({ stored }) => stored.depositKind === 'investment');
  return isAmountOpen ? present.filter(({ depositKind }) => depositKind === 'investment') : present;
}

async function deliveriesOf(
  { db }: Pick<DepositContext, 'db'>,
  vaultId: string,
  deposits: Found['present'],
): Promise<Payable[]> {
  const entitlements = await entitlementsOfDeposits(db, vaultId, deposits);
  return deposits.map(({ deposit, depositId, depositKind, invested }) => {
    const entitlement = entitlements.get(depositId);
    if (!entitlement) throw new Error(`deposit ${depositId} has no entitlement`);
    return { ...deposit, depositId, depositKind, invested, ft: entitlement.ft, lovelaceShare: entitlement.owed };
  });
}

async function recordDelivery(context: DepositContext, vault: Vault, deliveries: readonly Payable[], now: Instant) {
  const chain = await context.networkState();
  const built = buildDelivery(chain, {
    settlement: await chainEnd(context.db, vault, 'delivery'),
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
