import type { AssetType } from '../assets/rules/asset.ts';
import { withinMarket } from './rules/counted-values.ts';
import { marketPricedAsset, type PricedAsset } from './rules/priced-asset.ts';
import { valuationTotals, type ValuationTotals } from './rules/valuation.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { countedValues } from '../settlement/rules/locked-values.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { findValuedVault, type SettledValuation, type ValuedVault } from './queries/valued-vaults.ts';
import type { ServiceContext } from '../context.ts';
import { readerScope } from '../vaults/vault-access.ts';

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
  { db, readingTime }: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultValuation> {
  const vault = await findValuedVault(db, vaultId, readerScope(caller));
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  return valueVault(vault, await readingTime());
}

/** The value of the assets of a vault: as its settlement would count them now, and once it is settled, as the market values them. */
export function valueVault({ terms, lockedAt, locked, prices, settled }: ValuedVault, now: Instant): VaultValuation {
  const assets =
    lockedAt === null
      ? countedValues(locked, terms, prices)
      : withinMarket(locked.map((asset) => marketPricedAsset(asset, terms, prices)));
  const countOf = (type: AssetType) => assets.filter(({ asset }) => asset.type === type).length;
  return {
    totals: valuationTotals(assets.map(({ asset: { type }, value }) => ({ type, value }))),
    counts: { NFT: countOf('NFT'), CNT: countOf('CNT') },
    assets,
    settled,
    now,
  };
}
