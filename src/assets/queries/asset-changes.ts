import { sql } from 'kysely';
import { type AssetReleaseReason, type AssetStatus, assetTransition } from '../rules/asset.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Asset } from './assets.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

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
      ...(status === 'LOCKED' && asset.lockedAt === null && { locked_at: at }),
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
