import type { AssetType } from '../../domain/asset/asset.ts';
import { withinMarket } from '../../domain/asset/counted-values.ts';
import { marketPricedAsset, type PricedAsset } from '../../domain/asset/priced-asset.ts';
import { valuationTotals, type ValuationTotals } from '../../domain/asset/valuation.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import type { Asset } from '../../store/assets.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { vaultPrices } from '../../store/prices.ts';
import { findPlan } from '../../store/settlements.ts';
import { vaultAssets } from '../../store/vault-assets.ts';
import type { Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { lockedAssets } from '../settlements/settlement-input.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

/** What the settlement of a vault counted, beside the present valuation (design D48). */
export interface SettledValuation {
  readonly total: Lovelace;
  readonly at: Instant;
}

/** The value of the LOCKED assets of a vault, in lovelace. */
export interface VaultValuation {
  readonly totals: ValuationTotals;
  readonly counts: Readonly<Record<AssetType, number>>;
  readonly assets: readonly PricedAsset<Asset>[];
  /** Null until the settlement is planned. */
  readonly settled: SettledValuation | null;
  readonly now: Instant;
}

/** The valuation of a vault that the caller may read. Throws VAULT_NOT_FOUND. */
export async function readValuation(
  context: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultValuation> {
  const vault = await requireReadableVault(context, caller, vaultId);
  return valueVault(context.db, vault, await context.readingTime());
}

/** The value of the assets of a vault: as its settlement would count them now, and once it is settled, as the market values them. */
export async function valueVault(db: Db | Transaction, vault: Vault, now: Instant): Promise<VaultValuation> {
  const assets = vault.lockedAt === null ? await lockedAssets(db, vault) : await assetsAtMarket(db, vault);
  const countOf = (type: AssetType) => assets.filter(({ asset }) => asset.type === type).length;
  return {
    totals: valuationTotals(assets.map(({ asset: { type }, value }) => ({ type, value }))),
    counts: { NFT: countOf('NFT'), CNT: countOf('CNT') },
    assets,
    settled: await settledValuation(db, vault.id),
    now,
  };
}

/** The assets of a settled vault at the last known prices of the market, each asset at most what its market can take. */
async function assetsAtMarket(db: Db | Transaction, { id, terms }: Vault): Promise<PricedAsset<Asset>[]> {
  const [assets, prices] = await Promise.all([vaultAssets(db, id, ['LOCKED']), vaultPrices(db, [id])]);
  return withinMarket(assets.map((asset) => marketPricedAsset(asset, terms, prices)));
}

async function settledValuation(db: Db | Transaction, vaultId: string): Promise<SettledValuation | null> {
  const plan = await findPlan(db, vaultId);
  return plan && { total: plan.value, at: plan.plannedAt };
}
