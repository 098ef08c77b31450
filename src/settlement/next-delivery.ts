import { buildSoundDelivery, type Delivery } from '../cardano/build/delivery.ts';
import { settlementScript } from '../cardano/scripts/vault-scripts.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Instant } from '../platform/units/instant.ts';
import { depositsToPay } from './queries/deposits-to-pay.ts';
import { entitlementsOfDeposits } from './queries/entitlements.ts';
import { linkDeposits } from '../transactions/queries/transaction-deposits.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { NextBatch } from '../platform/temporal/activity-types.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { DepositContext } from './deposit-context.ts';
import type { PresentDeposit } from './detect-reclaims.ts';
import { batchBefore, waitFor } from './next-batch.ts';
import { nextInTurns } from './next-in-turns.ts';
import type { DepositRef } from '../transactions/queries/transaction-deposits.ts';
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
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<NextBatch> {
  const { open, next: before } = await batchBefore(context.db, { vaultId, kind: 'deliver', now });
  if (before) return before;
  if (!(await liveTransaction(context, vaultId, 'mint'))) return waitFor(open);
  const vault = await getVault(context.db, vaultId);
  await undoRolledBackReclaims(context, vault, now);
  const pages = () => depositsToPay(context.db, vaultId);
  const turns = { kind: 'deliver', pages, isSound: () => true, now } as const;
  const doubts: unknown[] = [];
  for await (const { present, uncertain } of nextInTurns(context, vault, turns)) {
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
  context: DepositContext,
  vault: Vault,
  present: readonly PresentDeposit[],
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
  { db }: Pick<DepositContext, 'db'>,
  vaultId: string,
  deposits: readonly PresentDeposit[],
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
