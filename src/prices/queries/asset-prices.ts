import { sql } from 'kysely';
import type { SealedPrice } from '../rules/price-seal.ts';
import type { Lovelace } from '../../platform/units/money.ts';
import type { Asset } from '../../assets/queries/assets.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** Records the price of a contribution as the worker has read it; returns false once its settlement has fixed another one. */
export async function setCheckedPrice(tx: Transaction, assetId: string, price: SealedPrice): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('assets')
    .set({
      price: price.lovelace,
      priced_at: new Date(price.asOf),
      price_source: price.source,
      market_limit: price.marketLimit ?? null,
      price_seal: price.seal,
    })
    .where('id', '=', assetId)
    .where('counted_price', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Fixes the price of an asset in the settlement; returns false when one was sealed since the asset was read, which stays. */
export async function setCountedPrice(tx: Transaction, { id, seals }: Asset, price: SealedPrice): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('assets')
    .set({
      counted_price: price.lovelace,
      counted_at: new Date(price.asOf),
      counted_source: price.source,
      market_limit: price.marketLimit ?? null,
      counted_seal: price.seal,
    })
    .where('id', '=', id)
    .where('counted_seal', 'is not distinct from', seals.counted)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Records the values that the plan of a settlement counts, by asset. */
export async function setCountedValues(
  tx: Transaction,
  values: readonly { readonly id: string; readonly value: Lovelace }[],
): Promise<void> {
  await sql`
    update assets set counted_value = counted.value
    from unnest(${values.map(({ id }) => id)}::uuid[], ${values.map(({ value }) => value.toString())}::numeric[])
      as counted(id, value)
    where assets.id = counted.id`.execute(tx);
}
