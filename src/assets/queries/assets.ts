import { type Insertable, type Selectable, sql } from 'kysely';
import {
  type AssetReleaseReason,
  type AssetStatus,
  type AssetType,
  type AssetClass,
  assetTransition,
} from '../rules/asset.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { AssetsTable } from '../../platform/database/tables/deposits.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Direction } from '../../platform/states.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { readAssetPrices } from '../../prices/queries/stored-asset-prices.ts';
import type { DepositPrice, Price } from '../../prices/rules.ts';
import { type ValuationMethod, valuationMethodOf } from '../../prices/rules/valuation-method.ts';
import type { AssetReturnReason } from '../../settlement/rules/deposits.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';

export interface Asset {
  readonly id: string;
  readonly vaultId: string;
  readonly type: AssetType;
  /** The name of its type, if that is a registered one; `type` is then its base. */
  readonly customType: string | null;
  readonly policyId: string;
  /** Hex. */
  readonly assetName: string;
  readonly quantity: BaseUnits;
  readonly valuationMethod: ValuationMethod;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly owner: string;
  readonly status: AssetStatus;
  readonly releaseReason: AssetReleaseReason | null;
  /** The price from the source when it was contributed. */
  readonly price: Price;
  /** The worker's seal on that price, and on the one that counts; null where it has none. */
  readonly seals: Readonly<Record<DepositPrice['kind'], string | null>>;
  /** The price that the settlement counts; null until the asset window has closed. */
  readonly countedPrice: Price | null;
  /** Lovelace that it counted with in the plan of the settlement; null before. */
  readonly countedValue: Lovelace | null;
  readonly deliveryDeposit: Lovelace;
  readonly addTransactionId: string;
  /** Index of the output of that transaction which holds it. */
  readonly depositIndex: number;
  /** Whether it arrived as an NFT while the ledger could not say how many of it exist. */
  readonly supplyUnchecked: boolean;
  readonly removeTransactionId: string | null;
  /** Why the settlement returns it; null when it counts, or while nothing is planned. */
  readonly returnReason: AssetReturnReason | null;
  /** The address where the vault has staked it; null in custody. */
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
  | 'seals'
  | 'countedPrice'
  | 'countedValue'
  | 'supplyUnchecked'
  | 'removeTransactionId'
  | 'returnReason'
  | 'stakingAddress'
  | 'lockedAt'
  | 'releasedAt'
  | 'updatedAt'
>;

export async function insertAssets(tx: Transaction, assets: readonly NewAsset[]): Promise<void> {
  await tx.insertInto('assets').values(assets.map(newRow)).execute();
}

function newRow(asset: NewAsset): Insertable<AssetsTable> {
  return {
    id: asset.id,
    vault_id: asset.vaultId,
    type: asset.type,
    custom_type: asset.customType,
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
    market_limit: asset.price.marketLimit ?? null,
    delivery_deposit: asset.deliveryDeposit,
    add_transaction_id: asset.addTransactionId,
    deposit_index: asset.depositIndex,
    remove_transaction_id: null,
    added_at: new Date(asset.addedAt),
    updated_at: new Date(asset.addedAt),
  };
}

export async function findAsset(db: Db, assetId: string): Promise<Asset | null> {
  const row = await db.selectFrom('assets').selectAll().where('id', '=', assetId).executeTakeFirst();
  return row ? readAsset(row) : null;
}

export async function lockAssetRow(tx: Transaction, assetId: string): Promise<Asset | null> {
  const row = await tx.selectFrom('assets').selectAll().where('id', '=', assetId).forUpdate().executeTakeFirst();
  return row ? readAsset(row) : null;
}

/** This NFT in any vault; null when it is in none. */
export async function findLockedNft(tx: Transaction, nft: AssetClass): Promise<Asset | null> {
  const row = await nfts(tx, nft).where('status', '=', 'LOCKED').executeTakeFirst();
  return row ? readAsset(row) : null;
}

/** The attempts to bring this NFT into a vault. */
export async function pendingNfts(tx: Transaction, nft: AssetClass): Promise<Asset[]> {
  return (await nfts(tx, nft).where('status', '=', 'PENDING').orderBy('id').execute()).map(readAsset);
}

/** This NFT in vaults, and the attempts to bring it into one, in one order. */
export async function claimedNfts(tx: Transaction, nft: AssetClass): Promise<Asset[]> {
  // Each has an index of its own, which Postgres does not use for a list of both.
  const [locked, pending] = [
    nfts(tx, nft).where('status', '=', 'LOCKED'),
    nfts(tx, nft).where('status', '=', 'PENDING'),
  ];
  return (await locked.unionAll(pending).orderBy('id').execute()).map(readAsset);
}

/** Whether a vault has this NFT, or a signed transaction brings it there. */
export async function isNftTaken(db: Db, nft: AssetClass): Promise<boolean> {
  const taken = nfts(db, nft)
    .innerJoin('chain_transactions as brought', 'brought.id', 'assets.add_transaction_id')
    .where((eb) =>
      eb.or([
        eb('assets.status', '=', 'LOCKED'),
        eb.and([
          eb('assets.status', '=', 'PENDING'),
          eb('brought.state', 'not in', ['awaiting_signatures', 'expired', 'failed']),
        ]),
      ]),
    );
  return (await taken.executeTakeFirst()) !== undefined;
}

function nfts(tx: Db | Transaction, { policyId, assetName }: AssetClass) {
  return tx
    .selectFrom('assets')
    .selectAll('assets')
    .where('assets.policy_id', '=', policyId)
    .where('assets.asset_name', '=', assetName)
    .where('assets.type', '=', 'NFT');
}

/** Locks the assets with these ids, in the order of their ids. */
export async function lockAssetRows(tx: Transaction, assetIds: readonly string[]): Promise<Asset[]> {
  if (assetIds.length === 0) return [];
  const query = tx.selectFrom('assets').selectAll().where('id', '=', anyOf(assetIds));
  return (await query.orderBy('id').forUpdate().execute()).map(readAsset);
}

/** Locks the assets that a transaction adds, in the order of their ids. */
export async function lockAssetsAddedBy(tx: Transaction, transactionId: string): Promise<Asset[]> {
  const query = tx.selectFrom('assets').selectAll().where('add_transaction_id', '=', transactionId);
  return (await query.orderBy('id').forUpdate().execute()).map(readAsset);
}

/** Locks the asset that a transaction returns; null when another transaction returns it by now. */
export async function lockAssetReturnedBy(tx: Transaction, transactionId: string): Promise<Asset | null> {
  const query = tx.selectFrom('assets').selectAll().where('remove_transaction_id', '=', transactionId);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readAsset(row) : null;
}

export function readAsset(row: Selectable<AssetsTable>): Asset {
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return {
    id: row.id,
    vaultId: row.vault_id,
    type: row.type,
    customType: row.custom_type,
    policyId: row.policy_id,
    assetName: row.asset_name,
    quantity: baseUnits(BigInt(row.quantity)),
    valuationMethod: row.valuation_method,
    metadata: row.metadata,
    owner: row.added_by,
    status: row.status,
    releaseReason: row.release_reason,
    seals: { contributed: row.price_seal, counted: row.counted_seal },
    ...readAssetPrices(row),
    countedValue: row.counted_value === null ? null : lovelace(BigInt(row.counted_value)),
    deliveryDeposit: lovelace(BigInt(row.delivery_deposit)),
    addTransactionId: row.add_transaction_id,
    depositIndex: row.deposit_index,
    supplyUnchecked: row.supply_unchecked,
    removeTransactionId: row.remove_transaction_id,
    returnReason: row.return_reason,
    stakingAddress: row.staking_address,
    lockedAt: at(row.locked_at),
    releasedAt: at(row.released_at),
    addedAt: instant(row.added_at),
    updatedAt: instant(row.updated_at),
  };
}

interface AssetChange {
  status: AssetStatus;
  reason?: AssetReleaseReason;
  direction?: Direction;
}

/** Moves an asset to another status. */
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

/** An NFT, and the transaction that brings it into a vault. */
export interface DepositedNft extends AssetClass {
  readonly transactionId: string;
}

/** The NFTs that these transactions bring into vaults and that are not recorded as in a block: added or bought. */
export async function depositedNfts(db: Db, hashes: readonly string[]): Promise<DepositedNft[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<DepositedNft>`
    with confirmation as (
      select id, kind from chain_transactions
      where hash = any(${hashes}::text[]) and kind in ('add_asset', 'execute') and state not in ('confirmed', 'final')
    )
    select confirmation.id as "transactionId", policy_id as "policyId", asset_name as "assetName"
    from confirmation join assets on add_transaction_id = confirmation.id and type = 'NFT'
    union
    select confirmation.id, terms ->> 'policyId', terms ->> 'assetNameHex'
    from confirmation join executions on transaction_id = confirmation.id and bought ->> 'type' = 'NFT'`.execute(db);
  return rows;
}

/** Records that an asset which a transaction brings is no NFT. */
export async function recordAsFungible(db: Db, { transactionId, policyId, assetName }: DepositedNft): Promise<void> {
  await sql`
    with bought as (
      update executions set bought = jsonb_set(bought, '{type}', '"CNT"')
      where transaction_id = ${transactionId} and bought is not null
    )
    update assets set type = 'CNT', custom_type = null, valuation_method = ${valuationMethodOf('CNT')}, supply_unchecked = false
    where add_transaction_id = ${transactionId} and policy_id = ${policyId} and asset_name = ${assetName}`.execute(db);
}

/** Records whether the ledger could not say how many exist of an asset that a transaction brings as an NFT. */
export async function setSupplyUnchecked(
  db: Db,
  { transactionId, policyId, assetName }: DepositedNft,
  unchecked: boolean,
): Promise<void> {
  await db
    .updateTable('assets')
    .set({ supply_unchecked: unchecked })
    .where('add_transaction_id', '=', transactionId)
    .where('policy_id', '=', policyId)
    .where('asset_name', '=', assetName)
    .where('supply_unchecked', '!=', unchecked)
    .execute();
}
