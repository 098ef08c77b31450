import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { marketPricedAsset, type PricedAsset, pricedAsset } from '../../domain/asset/priced-asset.ts';
import { valuationTotals } from '../../domain/asset/valuation.ts';
import { type AssetFilter, listAssets } from '../../store/vault-assets.ts';
import { type Asset, findAsset } from '../../store/assets.ts';
import type { Page, PageCount } from '../../store/page.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { vaultPrices } from '../../store/prices.ts';
import { findVault, type Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { lockedAssets } from '../settlements/settlement-input.ts';
import { ownershipAttributes, requireReadableVault } from '../vaults/vault-access.ts';

/** A page of a vault's assets with their present prices, and how many there are in all. Throws VAULT_NOT_FOUND. */
export async function listPricedAssets(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  filter: AssetFilter,
  page: Page<'addedAt' | 'status' | 'type'>,
): Promise<{ assets: PricedAsset<Asset>[]; count: PageCount }> {
  const vault = await requireReadableVault({ db }, caller, filter.vaultId);
  const { assets, count } = await listAssets(db, filter, page);
  const prices = await vaultPrices(db, [vault.id]);
  const priced = presentPricing(vault);
  return { assets: assets.map((asset) => priced(asset, vault.terms, prices)), count };
}

/** An asset of a vault with its present price. Throws VAULT_NOT_FOUND and ASSET_NOT_FOUND. */
export async function readPricedAsset(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { vaultId, assetId }: { readonly vaultId: string; readonly assetId: string },
): Promise<PricedAsset<Asset>> {
  const vault = await requireReadableVault({ db }, caller, vaultId);
  const [asset, prices] = await Promise.all([findAsset(db, assetId), vaultPrices(db, [vaultId])]);
  if (asset?.vaultId !== vaultId) throw new ServiceError('ASSET_NOT_FOUND');
  return presentPricing(vault)(asset, vault.terms, prices);
}

/** How the assets of a vault are priced now: as its settlement counts them, or once it is settled at the market (design D48). */
function presentPricing({ lockedAt }: Vault): typeof pricedAsset {
  return lockedAt === null ? pricedAsset : marketPricedAsset;
}

/** Lovelace that the assets which stay in a vault are valued at, all together. */
export async function totalAssetValue(db: Db | Transaction, vault: Vault): Promise<Lovelace> {
  const assets = await lockedAssets(db, vault);
  return valuationTotals(assets.map(({ asset: { type }, value }) => ({ type, value }))).total;
}

/** What conditional permissions to remove an asset depend on: its contributor and the vault's admin own it. */
export async function assetOwnershipAttributes(
  { vaultId, assetId }: { readonly vaultId: string; readonly assetId: string },
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
): Promise<{ own: boolean }> {
  const [asset, vault] = await Promise.all([findAsset(db, assetId), findVault(db, vaultId)]);
  const isInVault = vault !== null && asset?.vaultId === vaultId;
  return ownershipAttributes({ db }, caller, isInVault ? vaultId : undefined, [asset?.owner, vault?.createdBy]);
}
