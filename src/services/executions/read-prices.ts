import { type AssetClass, unitOf } from '../../domain/asset/asset.ts';
import type { Price } from '../../domain/asset/valuation.ts';
import { isPriceCompared } from '../../domain/execution/market-value.ts';
import type { GovernedVault } from '../../domain/proposal/governed-vault.ts';
import type { Db } from '../../store/database.ts';
import type { Proposal } from '../../store/proposals.ts';
import { assetsOfProposal } from '../../store/vault-assets.ts';
import type { ServiceContext } from '../context.ts';

/**
 * The prices of the asset to buy, or of assets to sell at a price that is compared with the market, by policy id + name. Throws
 * PRICE_UNAVAILABLE.
 */
export async function pricesOf(
  { db, priceSource }: ServiceContext,
  proposal: Proposal,
  vault: Pick<GovernedVault, 'claimsOpen'>,
): Promise<ReadonlyMap<string, Price>> {
  const classes = await pricedClasses(db, proposal, vault);
  const byUnit = new Map(classes.map((asset) => [unitOf(asset), asset]));
  const prices = [...byUnit].map(async ([unit, asset]) => [unit, await priceSource.priceOf(asset)] as const);
  return new Map(await Promise.all(prices));
}

async function pricedClasses(
  db: Db,
  { effect, vaultId }: Proposal,
  vault: Pick<GovernedVault, 'claimsOpen'>,
): Promise<readonly AssetClass[]> {
  if (effect.type === 'BUY') return [{ policyId: effect.terms.policyId, assetName: effect.terms.assetNameHex }];
  if (effect.type !== 'ASSET_SALE' || !isPriceCompared(effect, vault)) return [];
  const assets = await assetsOfProposal(db, vaultId, effect.assetIds);
  return assets.filter(({ id }) => effect.assetIds.includes(id));
}
