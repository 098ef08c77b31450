import { sql } from 'kysely';
import type { Lovelace } from '../../platform/units/money.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';

/** Locks a vault until the transaction ends; null for one that was deleted. */
export async function lockVaultToValue(tx: Transaction, vaultId: string): Promise<Vault | null> {
  const query = tx.selectFrom('vaults').selectAll().where('id', '=', vaultId).where('deleted_at', 'is', null);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readVault(row) : null;
}

/** Stores the valuation of a vault that is published; returns false when the last published one is the same. */
export async function setPublishedValuation(tx: Transaction, vaultId: string, total: Lovelace): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('vaults')
    .set({ published_valuation: total })
    .where('id', '=', vaultId)
    .where(sql<boolean>`coalesce(published_valuation, 0) <> ${total}`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
