import type { LowValuations } from '../../termination/rules/floor-price-deviation.ts';
import { instant } from '../../platform/units/instant.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** Locks a settled vault whose end is not decided, and reads its low valuations in a row; null for another vault. */
export async function lockLowValuations(tx: Transaction, vaultId: string): Promise<LowValuations | null> {
  const row = await tx
    .selectFrom('vaults')
    .select(['low_valuations', 'valuation_counted_at'])
    .where('id', '=', vaultId)
    .where('status', '=', 'LOCKED')
    .where('failed_because', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row
    ? { count: row.low_valuations, countedAt: row.valuation_counted_at && instant(row.valuation_counted_at) }
    : null;
}

export async function setLowValuations(
  tx: Transaction,
  vaultId: string,
  { count, countedAt }: LowValuations,
): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ low_valuations: count, valuation_counted_at: countedAt === null ? null : new Date(countedAt) })
    .where('id', '=', vaultId)
    .execute();
}
