import { unitOf } from './rules/asset.ts';
import { customPriceOf } from '../prices/rules/custom-price.ts';
import { type AssetParams, baseTypeOf, requireWorth } from './rules/asset-params.ts';
import type { Price } from '../prices/rules/valuation.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { mapInBatches } from '../platform/async/map-in-batches.ts';
import { acceptsPolicy, mayContribute } from '../vaults/rules/access.ts';
import { isNftTaken } from './queries/assets.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Actor } from '../access/actor.ts';
import type { ServiceContext } from '../context.ts';
import { requireVaultWithOpenWindow } from '../vaults/require-vault-state.ts';
import { accessOf } from '../vaults/vault-access.ts';
import { prefetchWallet, type WalletPrefetch } from '../transactions/wallet-prefetch.ts';

/** What was fetched, before the unit of work, to add assets. */
export interface AddAssetsPrefetch extends WalletPrefetch {
  /** In the order of the request. */
  readonly market: readonly AssetMarket[];
}

interface AssetMarket {
  /** Of the market, unless the vault has a price of its own for the asset. */
  readonly price: Price;
  /** Base units on the ledger; null while the ledger does not know the asset. */
  readonly supply: bigint | null;
}

export interface AddAssetsInput {
  readonly vaultId: string;
  readonly assets: readonly AssetParams[];
  /** The error about the asset at this position, with the fields as the request names them. */
  readonly errorAt: (cause: unknown, position: number) => unknown;
  readonly owner: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

type Context = Pick<ServiceContext, 'db' | 'readingTime' | 'networkState' | 'ledger' | 'networkId' | 'priceSource'>;

/** A request must not take all of the capacity of ledger and price source. */
const ASKED_AT_ONCE = 4;

/**
 * Reads the prices of assets and what their owner can pay with. Throws what `addAssets` would throw before it asks outside,
 * ASSET_NOT_IN_WALLET, ASSET_ALREADY_IN_VAULT, PRICE_UNAVAILABLE and LEDGER_UNAVAILABLE.
 */
export async function prefetchAddAssets(context: Context, input: AddAssetsInput): Promise<AddAssetsPrefetch> {
  const { vaultId, caller } = input;
  const vault = await requireVaultWithOpenWindow(context, caller, vaultId, 'asset');
  requireAccepted(vault, input);
  const wallet = await prefetchWallet(context, input.owner, input.assets.map(unitOf));
  await requireHeld(context, vault, wallet, input);
  const market = await mapInBatches(input.assets, ASKED_AT_ONCE, (asset, position) =>
    marketOf(context, vault, asset).catch((cause: unknown) => {
      throw input.errorAt(cause, position);
    }),
  );
  return { ...wallet, market };
}

/** Throws ASSET_NOT_IN_WALLET, or ASSET_ALREADY_IN_VAULT for an NFT that a vault has, before prices and supplies are asked for. */
async function requireHeld(
  { db }: Context,
  { terms }: Vault,
  { utxos }: WalletPrefetch,
  { assets, owner, errorAt }: AddAssetsInput,
): Promise<void> {
  const position = assets.findIndex((asset) => !utxos.some((utxo) => utxo.assets.has(unitOf(asset))));
  const asset = assets[position];
  if (!asset) return;
  const { policyId, assetName } = asset;
  if (baseTypeOf(terms.assetTypes, asset) === 'NFT' && (await isNftTaken(db, asset)))
    throw errorAt(new ServiceError('ASSET_ALREADY_IN_VAULT', { policyId, assetName }), position);
  const details = { unit: unitOf(asset), available: '0', wallet: owner.address };
  throw errorAt(new ServiceError('ASSET_NOT_IN_WALLET', details), position);
}

/** Throws CONTRIBUTOR_NOT_WHITELISTED, ASSET_NOT_WHITELISTED, ASSET_IS_REFERENCE_TOKEN and MAX_ASSETS_REACHED. */
export function requireAccepted(vault: Vault, { assets, owner, errorAt }: AddAssetsInput): void {
  if (!mayContribute(accessOf(vault), owner.address)) throw new ServiceError('CONTRIBUTOR_NOT_WHITELISTED');
  for (const [position, asset] of assets.entries()) {
    try {
      const { policyId } = asset;
      if (!acceptsPolicy(vault.terms, policyId)) throw new ServiceError('ASSET_NOT_WHITELISTED', { policyId });
      requireWorth(vault.terms, asset);
    } catch (cause) {
      throw errorAt(cause, position);
    }
  }
  const { maxAssets } = vault.terms;
  if (vault.countedAssets + assets.length > maxAssets) throw new ServiceError('MAX_ASSETS_REACHED', { maxAssets });
}

async function marketOf({ priceSource, ledger }: Context, { terms }: Vault, asset: AssetParams): Promise<AssetMarket> {
  const [price, supply] = await Promise.all([
    customPriceOf(terms, asset) ?? priceSource.priceOf(asset),
    ledger.assetSupply(unitOf(asset)),
  ]);
  return { price, supply };
}
