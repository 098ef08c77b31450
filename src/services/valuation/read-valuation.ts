import type { AssetType } from '../../domain/asset/asset.ts';
import type { PricedAsset } from '../../domain/asset/priced-asset.ts';
import { valuationTotals, type ValuationTotals } from '../../domain/asset/valuation.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Asset } from '../../store/assets.ts';
import type { ServiceContext } from '../context.ts';
import { lockedAssets } from '../settlements/settlement-input.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

/** The value of the LOCKED assets of a vault, in lovelace. */
export interface VaultValuation {
  readonly totals: ValuationTotals;
  readonly counts: Readonly<Record<AssetType, number>>;
  readonly assets: readonly PricedAsset<Asset>[];
  readonly now: Instant;
}

/** The current value of the assets of a vault. Throws VAULT_NOT_FOUND. */
export async function readValuation(
  context: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultValuation> {
  const vault = await requireReadableVault(context, caller, vaultId);
  const now = await context.readingTime();
  const assets = await lockedAssets(context.db, vault);
  const countOf = (type: AssetType) => assets.filter(({ asset }) => asset.type === type).length;
  return {
    totals: valuationTotals(assets.map(({ asset: { type }, value }) => ({ type, value }))),
    counts: { NFT: countOf('NFT'), CNT: countOf('CNT') },
    assets,
    now,
  };
}
