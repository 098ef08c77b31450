import type { Selectable } from 'kysely';
import { type AssetReleaseReason, type AssetStatus, type AssetType, assetTransition } from '../domain/asset/asset.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Direction } from '../domain/transitions.ts';
import type { Price } from '../domain/asset/valuation.ts';
import type { Db, Transaction } from './database.ts';
import type { AssetClass } from './prices.ts';
import type { AssetsTable } from './tables/vaults.ts';

export type ValuationMethod = 'floor_price' | 'dex_price' | 'custom';

export interface Asset {
  readonly id: string;
  readonly vaultId: string;
  readonly type: AssetType;
  readonly policyId: string;
  /** Hex. */
  readonly assetName: string;
  readonly quantity: BaseUnits;
  readonly valuationMethod: ValuationMethod;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly owner: string;
  readonly status: AssetStatus;
  readonly releaseReason: AssetReleaseReason | null;
  /** What the source said when it was contributed. */
  readonly price: Price;
  /** Lovelace per whole token that the settlement counts; null until the asset window has closed. */
  readonly countedPrice: Lovelace | null;
  readonly deliveryDeposit: Lovelace;
  readonly addTransactionId: string;
  readonly removeTransactionId: string | null;
  /** Where it is while the vault has staked it; null in custody. */
  readonly stakingAddress: string | null;
  readonly lockedAt: Instant | null;
  readonly releasedAt: Instant | null;
  readonly addedAt: Instant;
  readonly updatedAt: Instant;
}

export type NewAsset = Omit<
  Asset,
  | 'status'
  | 'releaseReason'
  | 'countedPrice'
  | 'removeTransactionId'
  | 'stakingAddress'
  | 'lockedAt'
  | 'releasedAt'
  | 'updatedAt'
>;

export async function insertAsset(tx: Transaction, asset: NewAsset): Promise<void> {
  await tx
    .insertInto('assets')
    .values({
      id: asset.id,
      vault_id: asset.vaultId,
      type: asset.type,
      policy_id: asset.policyId,
      asset_name: asset.assetName,
      quantity: asset.quantity,
      decimals: asset.price.decimals,
      valuation_method: asset.valuationMethod,
      metadata: JSON.stringify(asset.metadata),
      added_by: asset.owner,
      status: 'PENDING',
      release_reason: null,
      price: asset.price.lovelace,
      priced_at: new Date(asset.price.asOf),
      price_source: asset.price.source,
      delivery_deposit: asset.deliveryDeposit,
      add_transaction_id: asset.addTransactionId,
      remove_transaction_id: null,
      added_at: new Date(asset.addedAt),
      updated_at: new Date(asset.addedAt),
    })
    .execute();
}

export async function findAsset(db: Db, assetId: string): Promise<Asset | null> {
  const row = await db.selectFrom('assets').selectAll().where('id', '=', assetId).executeTakeFirst();
  return row ? readAsset(row) : null;
}

export async function lockAssetRow(tx: Transaction, assetId: string): Promise<Asset | null> {
  const row = await tx.selectFrom('assets').selectAll().where('id', '=', assetId).forUpdate().executeTakeFirst();
  return row ? readAsset(row) : null;
}

/** A vault's assets in some of the statuses, oldest first. */
export async function vaultAssets(
  db: Db | Transaction,
  vaultId: string,
  statuses: readonly AssetStatus[],
): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('status', 'in', statuses)
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** The assets that are in a vault or may still be found in it, as the transaction that brings or returns them is not final. */
export async function presentOrMissingAssets(db: Db | Transaction, vaultId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where((query) =>
      query.or([
        query('status', '!=', 'RELEASED'),
        query.exists(
          query
            .selectFrom('chain_transactions as moved')
            .select('moved.id')
            .where((moved) =>
              moved.or([
                moved('moved.id', '=', moved.ref('add_transaction_id')),
                moved('moved.id', '=', moved.ref('remove_transaction_id')),
              ]),
            )
            .where('moved.state', 'not in', ['final', 'expired', 'failed']),
        ),
      ]),
    )
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** This very NFT where it is in a vault, or on its way into one. */
export async function findNftInVaults(tx: Transaction, { policyId, assetName }: AssetClass): Promise<Asset | null> {
  const row = await tx
    .selectFrom('assets')
    .selectAll()
    .where('policy_id', '=', policyId)
    .where('asset_name', '=', assetName)
    .where('type', '=', 'NFT')
    .where('status', 'in', ['PENDING', 'LOCKED'])
    .executeTakeFirst();
  return row ? readAsset(row) : null;
}

export interface AssetChange {
  status: AssetStatus;
  reason?: AssetReleaseReason;
  direction?: Direction;
}

/** Moves an asset to another status; throws INVALID_TRANSITION. */
export async function changeAssetStatus(
  tx: Transaction,
  asset: Asset,
  change: AssetChange,
  now: Instant,
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

/** Ties an asset to the transaction that returns it, or unties it. */
export async function setRemoval(
  tx: Transaction,
  assetId: string,
  transactionId: string | null,
  now: Instant,
): Promise<void> {
  await tx
    .updateTable('assets')
    .set({ remove_transaction_id: transactionId, updated_at: new Date(now) })
    .where('id', '=', assetId)
    .execute();
}

/** Remembers where the vault has staked assets; null when they are back in custody. */
export async function setStakingAddress(
  tx: Transaction,
  assetIds: readonly string[],
  address: string | null,
  now: Instant,
): Promise<void> {
  const values = { staking_address: address, updated_at: new Date(now) };
  await tx.updateTable('assets').set(values).where('id', 'in', assetIds).execute();
}

/** The assets with these ids, locked in the order of their ids. */
export async function lockAssetRows(tx: Transaction, assetIds: readonly string[]): Promise<Asset[]> {
  if (assetIds.length === 0) return [];
  const query = tx.selectFrom('assets').selectAll().where('id', 'in', assetIds);
  return (await query.orderBy('id').forUpdate().execute()).map(readAsset);
}

/** What lies in the vault, and the assets with these ids whatever has become of them. */
export async function assetsOfProposal(
  db: Db | Transaction,
  vaultId: string,
  assetIds: readonly string[],
): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where((query) =>
      query.or([query('status', '=', 'LOCKED'), ...(assetIds.length > 0 ? [query('id', 'in', assetIds)] : [])]),
    )
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** The asset that a transaction brings; null when it brings none. */
export async function lockAssetBroughtBy(tx: Transaction, transactionId: string): Promise<Asset | null> {
  const query = tx.selectFrom('assets').selectAll().where('add_transaction_id', '=', transactionId);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readAsset(row) : null;
}

/** Fixes what an asset counts for in the settlement. */
export async function setCountedPrice(tx: Transaction, assetId: string, price: Lovelace): Promise<void> {
  await tx
    .updateTable('assets')
    .set({ counted_price: price })
    .where('id', '=', assetId)
    .where('counted_price', 'is', null)
    .execute();
}

export function readAsset(row: Selectable<AssetsTable>): Asset {
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return {
    id: row.id,
    vaultId: row.vault_id,
    type: row.type as AssetType,
    policyId: row.policy_id,
    assetName: row.asset_name,
    quantity: baseUnits(BigInt(row.quantity)),
    valuationMethod: row.valuation_method as ValuationMethod,
    metadata: row.metadata as Record<string, unknown>,
    owner: row.added_by,
    status: row.status as AssetStatus,
    releaseReason: row.release_reason as AssetReleaseReason | null,
    price: {
      lovelace: lovelace(BigInt(row.price)),
      decimals: row.decimals,
      asOf: instant(row.priced_at),
      source: row.price_source,
    },
    countedPrice: row.counted_price === null ? null : lovelace(BigInt(row.counted_price)),
    deliveryDeposit: lovelace(BigInt(row.delivery_deposit)),
    addTransactionId: row.add_transaction_id,
    removeTransactionId: row.remove_transaction_id,
    stakingAddress: row.staking_address,
    lockedAt: at(row.locked_at),
    releasedAt: at(row.released_at),
    addedAt: instant(row.added_at),
    updatedAt: instant(row.updated_at),
  };
}
