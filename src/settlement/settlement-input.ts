import { assetStatuses } from '../assets/rules/asset.ts';
import { type PricedAsset, pricedAsset } from '../prices/rules/priced-asset.ts';
import {
  type Contribution,
  contributionOf,
  investmentOf,
  type OwnContribution,
  type SettlementInput,
} from './rules/distribution.ts';
import { countedValues, isStaying, stayingValues } from './rules/deposits.ts';
import type { Lovelace } from '../platform/units/money.ts';
import type { Asset } from '../assets/queries/assets.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { Entitlement } from './queries/settlements.ts';
import { vaultPrices } from '../prices/queries/prices.ts';
import { vaultAssets } from '../assets/queries/listed-assets.ts';
import { vaultInvestments } from '../investments/queries/investments.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

/** What a settlement of the vault would depend on now; quotes and settlements both start from it (design D13). */
export async function settlementInput(
  db: Db | Transaction,
  vault: Vault,
  lpMinimum: Lovelace,
): Promise<SettlementInput> {
  const { id, terms } = vault;
  const [contributors, investments] = await Promise.all([
    ownContributions(db, vault),
    vaultInvestments(db, id, ['CONFIRMED']),
  ]);
  return {
    ...terms,
    supply: terms.ftSupply,
    lpMinimum,
    contributors,
    investors: investments.filter(isStaying).map(investmentOf),
  };
}

/** What the stored plan of a settlement counts of these entitlements' assets, whatever has become of them since. */
export async function storedContributions(
  tx: Transaction,
  { id, terms }: Vault,
  entitlements: readonly Pick<Entitlement, 'depositId'>[],
): Promise<Contribution[]> {
  const planned = new Set(entitlements.map(({ depositId }) => depositId));
  const assets = (await vaultAssets(tx, id, assetStatuses)).filter(({ id: assetId }) => planned.has(assetId));
  // Planning has fixed the price of each of them, so no other price is read.
  return assets.map((asset) => {
    const priced = pricedAsset(asset, terms, new Map());
    return contributionOf({ ...priced, value: asset.countedValue ?? priced.value });
  });
}

/** What the assets that stay in the vault contribute, before the settlement decides which of them count. */
async function ownContributions(db: Db | Transaction, vault: Vault): Promise<OwnContribution[]> {
  const [assets, prices] = await Promise.all([vaultAssets(db, vault.id, ['LOCKED']), vaultPrices(db, [vault.id])]);
  return stayingValues(assets, vault.terms, prices).map(contributionOf);
}

/** The assets in the vault that are not being returned, with the values that a settlement would count; 0 for those it would return. */
export async function lockedAssets(db: Db | Transaction, { id, terms }: Vault): Promise<PricedAsset<Asset>[]> {
  const [assets, prices] = await Promise.all([vaultAssets(db, id, ['LOCKED']), vaultPrices(db, [id])]);
  return countedValues(assets, terms, prices);
}
