import type { Caller } from '../access/rules.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { marketPricedAsset, type PricedAsset, pricedAsset } from '../prices/rules/priced-asset.ts';
import { valuationTotals } from '../prices/rules.ts';
import { unitOf } from './rules/asset.ts';
import { type AssetFilter, findListedAsset, listAssets, type ListedAsset } from './queries/listed-assets.ts';
import { type Asset, findAsset } from './queries/assets.ts';
import type { DepositGuard } from './queries/deposits.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { findVault, type Vault } from '../vaults/queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { lockedAssets } from '../settlement/settlement-input.ts';
import { ownershipAttributes, readerScope, requireReadableVault } from '../vaults/require-vault.ts';

/** An asset with its present price, and what the script of its deposit depends on. */
export interface ReadAsset extends PricedAsset<Asset> {
  readonly guard: DepositGuard;
}

/** A page of a vault's assets with their present prices, and how many there are in all. */
export async function listPricedAssets(
  { db }: ServiceContext,
  caller: Caller,
  filter: AssetFilter,
  page: Page<'addedAt' | 'status' | 'type'>,
): Promise<{ assets: ReadAsset[]; count: PageCount }> {
  const listed = await listAssets(db, filter, readerScope(caller), page);
  if (!listed) throw new ServiceError('VAULT_NOT_FOUND');
  return { assets: listed.assets.map(presentlyPriced), count: listed.count };
}

/** An asset of a vault with its present price. */
export async function readPricedAsset(
  { db }: ServiceContext,
  caller: Caller,
  ids: { readonly vaultId: string; readonly assetId: string },
): Promise<ReadAsset> {
  await requireReadableVault(db, caller, ids.vaultId);
  const asset = await findListedAsset(db, ids);
  if (!asset) throw new ServiceError('ASSET_NOT_FOUND');
  return presentlyPriced(asset);
}

/** The asset with its price now: as the settlement of its vault counts it, or once that is settled at the market (design D48). */
function presentlyPriced({ asset, terms, isVaultSettled, guard, lastPrice }: ListedAsset): ReadAsset {
  const latest = new Map(lastPrice === null ? [] : [[unitOf(asset), lastPrice]]);
  return { ...(isVaultSettled ? marketPricedAsset : pricedAsset)(asset, terms, latest), guard };
}

/** Lovelace that the assets which stay in a vault are valued at, all together. */
export async function totalAssetValue(db: Db | Transaction, vault: Vault): Promise<Lovelace> {
  return totalValue(await lockedAssets(db, vault));
}

/** The sum of the values of assets. */
export function totalValue(
  assets: readonly (Pick<PricedAsset, 'value'> & { readonly asset: Pick<Asset, 'type'> })[],
): Lovelace {
  return valuationTotals(assets.map(({ asset: { type }, value }) => ({ type, value }))).total;
}

/** What conditional permissions to remove an asset depend on: its contributor and the vault's admin own it. */
export async function assetOwnershipAttributes(
  { vaultId, assetId }: { readonly vaultId: string; readonly assetId: string },
  { db }: ServiceContext,
  caller: Caller,
): Promise<{ own: boolean }> {
  const [asset, vault] = await Promise.all([findAsset(db, assetId), findVault(db, vaultId)]);
  const isInVault = vault !== null && asset?.vaultId === vaultId;
  return ownershipAttributes(db, caller, isInVault ? vaultId : undefined, [asset?.owner, vault?.createdBy]);
}
