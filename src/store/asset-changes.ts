import { sql } from 'kysely';
import type { Price } from '../domain/asset/valuation.ts';
import { type AssetReleaseReason, type AssetStatus, assetTransition } from '../domain/asset/asset.ts';
import type { Lovelace } from '../domain/units/money.ts';
import type { Direction } from '../domain/transitions.ts';
import { anyOf } from './bulk-insert.ts';
import type { Transaction } from './database.ts';
import type { Asset } from './assets.ts';
import type { ChainTransaction } from './chain-transactions.ts';
import type { TransactionContext } from './transaction-context.ts';

export interface AssetChange {
  status: AssetStatus;
  reason?: AssetReleaseReason;
  direction?: Direction;
}

/** Moves an asset to another status; throws INVALID_TRANSITION. */
export async function changeAssetStatus(
  { tx, now }: TransactionContext,
  asset: Asset,
  change: AssetChange,
): Promise<void> {
  const status = assetTransition(asset.status, change.status, change.direction);
  const at = new Date(now);
  await tx
    .updateTable('assets')
    .set({
      status,
      updated_at: at,
      release_reason: status === 'RELEASED' ? (change.reason ?? null) : null,
      released_at: status === 'RELEASED' ? at : null,
      ...(status === 'LOCKED' && asset.status === 'PENDING' && { locked_at: at }),
      ...(status === 'PENDING' && { locked_at: null }),
    })
    .where('id', '=', asset.id)
    .execute();
}

/** Changes why an asset is RELEASED. */
export async function setReleaseReason(
  { tx, now }: TransactionContext,
  { id }: Pick<Asset, 'id'>,
  reason: AssetReleaseReason,
): Promise<void> {
  await tx
    .updateTable('assets')
    .set({ release_reason: reason, updated_at: new Date(now) })
    .where('id', '=', id)
    .where('status', '=', 'RELEASED')
    .execute();
}

/** Links an asset to the transaction that returns it; null unlinks it. */
export async function setRemoveTransaction(
  { tx, now }: TransactionContext,
  assetId: string,
  transactionId: string | null,
): Promise<void> {
  await tx
    .updateTable('assets')
    .set({ remove_transaction_id: transactionId, updated_at: new Date(now) })
    .where('id', '=', assetId)
    .execute();
}

/** Links the assets whose deposits a transaction spends to that transaction, which returns them. */
export async function linkRemoval(
  { tx, now }: TransactionContext,
  { id, inputs }: Pick<ChainTransaction, 'id' | 'inputs'>,
): Promise<void> {
  await sql`
    update assets set remove_transaction_id = ${id}, updated_at = ${new Date(now)}
    from unnest(${inputs.map(({ txHash }) => txHash)}::text[], ${inputs.map(({ index }) => index)}::int[])
      as spent(hash, index) join chain_transactions maker using (hash)
    where add_transaction_id = maker.id and deposit_index = spent.index`.execute(tx);
}

/** Records where the vault has staked assets; null when they are back in custody. */
export async function setStakingAddress(
  { tx, now }: TransactionContext,
  assetIds: readonly string[],
  address: string | null,
): Promise<void> {
  const values = { staking_address: address, updated_at: new Date(now) };
  await tx.updateTable('assets').set(values).where('id', '=', anyOf(assetIds)).execute();
}

/** Records the price of a contribution as the worker has read it. */
export async function setCheckedPrice(tx: Transaction, assetId: string, price: Price): Promise<void> {
  await tx
    .updateTable('assets')
    .set({
      price: price.lovelace,
      priced_at: new Date(price.asOf),
      price_source: price.source,
      market_limit: price.marketLimit ?? null,
      price_checked: true,
    })
    .where('id', '=', assetId)
    .where('counted_price', 'is', null)
    .execute();
}

/** Fixes the price of an asset in the settlement; a fixed price stays. */
export async function setCountedPrice(tx: Transaction, assetId: string, price: Price): Promise<void> {
  await tx
    .updateTable('assets')
    .set({
      counted_price: price.lovelace,
      counted_at: new Date(price.asOf),
      counted_source: price.source,
      market_limit: price.marketLimit ?? null,
    })
    .where('id', '=', assetId)
    .where('counted_price', 'is', null)
    .execute();
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
