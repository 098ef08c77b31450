import type { SlotAnchor } from '../cardano/ledger/slots.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Db } from '../platform/database/database.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { platformTtlSlot } from '../cardano/ledger/deadline.ts';
import { lastSettlementOutput } from './queries/settlement-chain.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';

/**
 * What the next transaction of a settlement spends: a delivery that leaves it may still be on its way, unless the transaction is the
 * last of all. Throws when the settlement is not on the ledger that far.
 */
export async function chainEnd(db: Db, vault: Vault, next: 'delivery' | 'last'): Promise<Utxo> {
  const end = await lastSettlementOutput(db, { id: vault.id, ftUnit: requireFtUnit(vault) });
  if (!end || !(end.isOnLedger || (end.kind === 'deliver' && next === 'delivery')))
    throw new Error(`the settlement of vault ${vault.id} is not on the ledger at present`);
  return end.output;
}

/** Before T a transaction of the settlement expires with T at the latest (design D13c); after T nothing limits it. */
export function settlementTtlSlot({ settlesBy }: Vault, anchor: SlotAnchor, now: Instant): number {
  const ttlSlot = platformTtlSlot(anchor, now, now < settlesBy ? settlesBy : null);
  if (ttlSlot === null) throw new Error('another transaction cannot land before T any more; it is built after T');
  return ttlSlot;
}
