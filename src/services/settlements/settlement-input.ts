import { assetStatuses } from '../../domain/asset/asset.ts';
import type { Contribution, DistributionInput, Investment } from '../../domain/settlement/distribution-input.ts';
import { investmentStatuses } from '../../domain/investment/investment.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { type Price, valueOf } from '../../domain/asset/valuation.ts';
import type { VaultTerms } from '../../domain/vault/vault.ts';
import type { Asset } from '../../store/assets.ts';
import { vaultAssets } from '../../store/vault-assets.ts';
import type { Investment as StoredInvestment } from '../../store/investments.ts';
import { vaultInvestments } from '../../store/vault-investments.ts';
import type { Entitlement } from '../../store/entitlements.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { vaultPrices } from '../../store/prices.ts';
import type { Vault } from '../../store/vaults.ts';

/** An asset with the price it counts with at present. */
export interface PricedAsset {
  readonly asset: Asset;
  readonly price: Price;
  readonly value: Lovelace;
}

/** What a settlement of the vault would depend on now; quotes and settlements both start from it (design D13). */
export async function settlementInput(
  db: Db | Transaction,
  vault: Vault,
  lpMinimum: Lovelace,
): Promise<DistributionInput> {
  const { id, terms } = vault;
  const [assets, investments] = await Promise.all([lockedAssets(db, vault), vaultInvestments(db, id, ['CONFIRMED'])]);
  return {
    supply: terms.ftSupply,
    ftPercentage: terms.ftPercentage,
    lpPercentage: terms.lpPercentage,
    reserve: terms.reserve,
    lpMinimum,
    contributors: assets.map(contributionOf),
    investors: investments.map(investmentOf),
  };
}

function contributionOf({ asset, value }: PricedAsset): Contribution {
  return { id: asset.id, wallet: asset.owner, value, at: asset.addedAt };
}

function investmentOf({ id, wallet, lovelace, createdAt }: StoredInvestment): Investment {
  return { id, wallet, lovelace, at: createdAt };
}

/** What the stored plan of a settlement was made from, whatever has become of the deposits since. */
export async function storedSettlementInput(
  tx: Transaction,
  { id, terms }: Vault,
  entitlements: readonly Pick<Entitlement, 'depositId'>[],
): Promise<Pick<DistributionInput, 'ftPercentage' | 'lpPercentage' | 'contributors' | 'investors'>> {
  const planned = new Set(entitlements.map(({ depositId }) => depositId));
  const isPlanned = ({ id: depositId }: { id: string }) => planned.has(depositId);
  const assets = (await vaultAssets(tx, id, assetStatuses)).filter(isPlanned);
  const investments = (await vaultInvestments(tx, id, investmentStatuses)).filter(isPlanned);
  // Planning has fixed the price of each of them, so no other is looked for.
  return {
    ...terms,
    contributors: assets.map((asset) => contributionOf(pricedAsset(asset, terms, new Map()))),
    investors: investments.map(investmentOf),
  };
}

/** What lies in the vault and is not on its way out, with what it is worth. */
export async function lockedAssets(db: Db | Transaction, { id, terms }: Vault): Promise<PricedAsset[]> {
  const [assets, prices] = await Promise.all([vaultAssets(db, id, ['LOCKED']), vaultPrices(db, [id])]);
  const staying = assets.filter(({ removeTransactionId }) => removeTransactionId === null);
  return staying.map((asset) => pricedAsset(asset, terms, prices));
}

/** The fixed price once there is one; until then that of the contribution (FIXED) or the last known one (LBE) (design D12). */
export function pricedAsset(
  asset: Asset,
  terms: Pick<VaultTerms, 'valuationType' | 'floorPricePercentage'>,
  latest: ReadonlyMap<string, Price>,
): PricedAsset {
  const price = presentPrice(asset, terms, latest);
  return { asset, price, value: valueOf(asset.quantity, price, terms.floorPricePercentage) };
}

function presentPrice(
  asset: Asset,
  { valuationType }: Pick<VaultTerms, 'valuationType'>,
  latest: ReadonlyMap<string, Price>,
): Price {
  if (asset.countedPrice !== null) return { ...asset.price, lovelace: asset.countedPrice };
  const known = valuationType === 'LBE' ? latest.get(asset.policyId + asset.assetName) : undefined;
  // A price for another whole token than the quantity was measured in says nothing about it.
  return known?.decimals === asset.price.decimals ? known : asset.price;
}
