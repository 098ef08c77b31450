import type { Price } from '../../domain/asset/valuation.ts';
import type { AssetParams } from '../../domain/asset/asset-params.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { acceptsPolicy, mayContribute } from '../../domain/vault/access.ts';
import type { Vault } from '../../store/vaults.ts';
import type { Actor } from '../actor.ts';
import type { ServiceContext } from '../context.ts';
import { requireVaultWithOpenWindow } from '../vaults/require-vault-state.ts';
import { accessOf } from '../vaults/vault-access.ts';
import { prefetchWallet, type WalletPrefetch } from '../transactions/wallet-prefetch.ts';

/** What was fetched, before the unit of work, to add an asset. */
export interface AddAssetPrefetch extends WalletPrefetch {
  readonly price: Price;
  /** Base units on the ledger; null while the ledger does not know the asset. */
  readonly supply: bigint | null;
}

export interface AddAssetInput {
  readonly vaultId: string;
  readonly params: AssetParams;
  readonly owner: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Reads the price of an asset and what its owner can pay with. Throws what `addAsset` would throw before it asks outside, and
 * PRICE_UNAVAILABLE and LEDGER_UNAVAILABLE.
 */
export async function prefetchAddAsset(
  context: Pick<ServiceContext, 'db' | 'readingTime' | 'networkState' | 'ledger' | 'priceSource'>,
  { vaultId, params, owner, caller }: AddAssetInput,
): Promise<AddAssetPrefetch> {
  requireAccepted(await requireVaultWithOpenWindow(context, caller, vaultId, 'asset'), params, owner.address);
  const { policyId, assetName } = params;
  const [wallet, price, supply] = await Promise.all([
    prefetchWallet(context, owner.address, policyId + assetName),
    context.priceSource.priceOf({ policyId, assetName }),
    context.ledger.assetSupply(policyId + assetName),
  ]);
  return { ...wallet, price, supply };
}

/** Throws CONTRIBUTOR_NOT_WHITELISTED, ASSET_NOT_WHITELISTED and MAX_ASSETS_REACHED. */
export function requireAccepted(vault: Vault, { policyId }: AssetParams, owner: string): void {
  if (!mayContribute(accessOf(vault), owner)) throw new ServiceError('CONTRIBUTOR_NOT_WHITELISTED');
  if (!acceptsPolicy(vault.terms, policyId)) throw new ServiceError('ASSET_NOT_WHITELISTED', { policyId });
  const { maxAssets } = vault.terms;
  if (vault.countedAssets >= maxAssets) throw new ServiceError('MAX_ASSETS_REACHED', { maxAssets });
}
