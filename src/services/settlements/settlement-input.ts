import { assetStatuses } from '../../domain/asset/asset.ts';
import { type PricedAsset, pricedAsset } from '../../domain/asset/priced-asset.ts';
import { countedValues } from '../../domain/asset/counted-values.ts';
import { investmentStatuses } from '../../domain/investment/investment.ts';
import {
  contributionOf,
  type DistributionInput,
  investmentOf,
  type PlannedInput,
} from '../../domain/settlement/distribution-input.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import type { Asset } from '../../store/assets.ts';
import type { Db, Transaction } from '../../store/database.ts';
import type { Entitlement } from '../../store/entitlements.ts';
import { vaultPrices } from '../../store/prices.ts';
import { vaultAssets } from '../../store/vault-assets.ts';
import { vaultInvestments } from '../../store/vault-investments.ts';
import type { Vault } from '../../store/vaults.ts';

/** What a settlement of the vault would depend on now; quotes and settlements both start from it (design D13). */
export async function settlementInput(
  db: Db | Transaction,
  vault: Vault,
  lpMinimum: Lovelace,
): Promise<DistributionInput> {
  const { id, terms } = vault;
  const [assets, investments] = await Promise.all([lockedAssets(db, vault), vaultInvestments(db, id, ['CONFIRMED'])]);
  return {
    ...terms,
    supply: terms.ftSupply,
    lpMinimum,
    contributors: assets.map(contributionOf),
    investors: investments.filter(isStaying).map(investmentOf),
  };
}

/** What the stored plan of a settlement was made from, whatever has become of the deposits since. */
export async function storedSettlementInput(
  tx: Transaction,
  { id, terms }: Vault,
  entitlements: readonly Pick<Entitlement, 'depositId'>[],
): Promise<PlannedInput> {
  const planned = new Set(entitlements.map(({ depositId }) => depositId));
  const isPlanned = ({ id: depositId }: { id: string }) => planned.has(depositId);
  const assets = (await vaultAssets(tx, id, assetStatuses)).filter(isPlanned);
  const investments = (await vaultInvestments(tx, id, investmentStatuses)).filter(isPlanned);
  // Planning has fixed the price of each of them, so no other price is read.
  return {
    ...terms,
    contributors: assets.map((asset) => {
      const priced = pricedAsset(asset, terms, new Map());
      return contributionOf({ ...priced, value: asset.countedValue ?? priced.value });
    }),
    investors: investments.map(investmentOf),
  };
}

/** The assets in the vault that are not being returned, with the values that the settlement counts. */
export async function lockedAssets(db: Db | Transaction, { id, terms }: Vault): Promise<PricedAsset<Asset>[]> {
  const [assets, prices] = await Promise.all([vaultAssets(db, id, ['LOCKED']), vaultPrices(db, [id])]);
  const priced = assets.filter(isStaying).map((asset) => pricedAsset(asset, terms, prices));
  return countedValues(priced, terms.maxShare);
}

function isStaying({ removeTransactionId }: { readonly removeTransactionId: string | null }): boolean {
  return removeTransactionId === null;
}
