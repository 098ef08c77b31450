import { sql } from 'kysely';
import type { AssetClass } from '../rules/asset.ts';
import { valuationMethodOf } from '../../prices/rules/valuation-method.ts';
import type { Db } from '../../platform/database/database.ts';

/** An NFT, and the transaction that brings it into a vault. */
export interface ArrivingNft extends AssetClass {
  readonly transactionId: string;
}

/** The NFTs that these transactions bring into vaults and that are not recorded as in a block: added or bought. */
export async function arrivingNfts(db: Db, hashes: readonly string[]): Promise<ArrivingNft[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<ArrivingNft>`
    with landing as (
      select id, kind from chain_transactions
      where hash = any(${hashes}::text[]) and kind in ('add_asset', 'execute') and state not in ('confirmed', 'final')
    )
    select landing.id as "transactionId", policy_id as "policyId", asset_name as "assetName"
    from landing join assets on add_transaction_id = landing.id and type = 'NFT'
    union
    select landing.id, terms ->> 'policyId', terms ->> 'assetNameHex'
    from landing join executions on transaction_id = landing.id and bought ->> 'type' = 'NFT'`.execute(db);
  return rows;
}

/** Records that an asset which a transaction brings is no NFT. */
export async function recordAsFungible(db: Db, { transactionId, policyId, assetName }: ArrivingNft): Promise<void> {
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
  { transactionId, policyId, assetName }: ArrivingNft,
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
