import { buildAddAssets } from '../cardano/build/add-assets.ts';
import { deliveryDeposits } from '../cardano/build/deposits.ts';
import { depositAddressOf } from '../cardano/scripts/script-addresses.ts';
import { unitOf } from './rules/asset.ts';
import {
  type AssetParams,
  baseTypeOf,
  parseQuantity,
  requireAcceptedType,
  requireValuationMethod,
  withTypeOnLedger,
} from './rules/asset-params.ts';
import { isBuiltInAssetType } from '../types/rules/asset-type.ts';
import { requireFresh, valueOf } from '../prices/rules/valuation.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { insertAssets, type NewAsset } from './queries/assets.ts';
import type { DepositGuard } from './queries/deposit-guard.ts';
import { storePrices } from '../prices/queries/prices.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { addToAssetCount } from '../vaults/queries/vault-changes.ts';
import type { ServiceContext } from '../context.ts';
import { type StartedTransaction, startWalletTransaction } from '../transactions/start-wallet-transaction.ts';
import { type OpenWindow, requireOpenForDeposits } from '../vaults/require-vault-state.ts';
import { type AddAssetsInput, type AddAssetsPrefetch, requireAccepted } from './add-assets-prefetch.ts';
import { reserveNfts } from './reserve-nft.ts';

export interface StartedAsset extends NewAsset {
  /** Lovelace. */
  readonly value: Lovelace;
}

export interface StartedAssets extends StartedTransaction {
  /** In the order of the request. */
  readonly assets: readonly StartedAsset[];
  /** What the script of their deposit depends on. */
  readonly guard: DepositGuard;
}

/**
 * Records assets and the one transaction that brings them to their owner's deposit address, while the asset window is open: all of
 * them or none. An unsigned attempt of the same wallet to add one of the NFTs is superseded. Throws CONTRIBUTOR_NOT_WHITELISTED,
 * ASSET_NOT_WHITELISTED, ASSET_IS_REFERENCE_TOKEN, ASSET_TYPE_NOT_ALLOWED, VALUATION_METHOD_NOT_ALLOWED, MAX_ASSETS_REACHED, ASSET_ALREADY_IN_VAULT,
 * PRICE_UNAVAILABLE, INVALID_QUANTITY, ASSET_NOT_IN_WALLET, INSUFFICIENT_FUNDS, ASSETS_DO_NOT_FIT and what `requireOpenForDeposits`
 * throws.
 */
export async function addAssets(
  context: TransactionContext,
  { networkId, durationBounds }: Pick<ServiceContext, 'networkId' | 'durationBounds'>,
  input: AddAssetsInput,
  prefetch: AddAssetsPrefetch,
): Promise<StartedAssets> {
  const open = await requireOpenForDeposits(context, input.caller, input.vaultId, 'asset');
  const { vault } = open;
  requireAccepted(vault, input);
  const parts = input.assets.map((params, position) => {
    try {
      return partsOf(context, params, prefetch, { position, open, maxAge: durationBounds.valuationAge.max });
    } catch (cause) {
      throw input.errorAt(cause, position);
    }
  });
  await reserveNfts(context, parts, input.owner.address, input.errorAt);
  const { address: depositAddress } = depositAddressOf(vault, input.owner.paymentKeyHash, networkId);
  const added = { vaultId: vault.id, owner: input.owner.address, addedAt: context.now };
  const assetsOf = (addTransactionId: string) => parts.map((part) => ({ ...part, ...added, addTransactionId }));
  const record = async (transactionId: string) => {
    await insertAssets(context.tx, assetsOf(transactionId));
    await storeMarketPrices(context, parts);
  };
  const started = await startDeposit(context, input, { ...open, parts, record, depositAddress, prefetch });
  if (input.owner.signer === 'platform' && !(await addToAssetCount(context.tx, vault.id, parts.length)))
    throw new ServiceError('MAX_ASSETS_REACHED');

  const { floorPricePercentage } = vault.terms;
  const valued = assetsOf(started.transactionId).map((asset) => ({
    ...asset,
    value: valueOf(asset.quantity, asset.price, floorPricePercentage),
  }));
  return { ...started, assets: valued, guard: vault };
}

/** Of each class once: one statement cannot change a row twice. What an admin says is no price of the market, which other vaults read. */
async function storeMarketPrices({ tx, now }: TransactionContext, assets: readonly AssetParts[]): Promise<void> {
  const ofMarket = assets.filter(({ valuationMethod }) => valuationMethod !== 'custom');
  const classes = new Map(ofMarket.map((asset) => [unitOf(asset), asset]));
  const prices = [...classes.values()].map((asset) => ({ asset, price: asset.price }));
  await storePrices(tx, prices, now);
}

type AssetParts = Omit<NewAsset, 'vaultId' | 'owner' | 'addTransactionId' | 'addedAt'>;

interface AssetPlace {
  readonly position: number;
  readonly open: OpenWindow;
  /** Of its price. */
  readonly maxAge: number;
}

/**
 * The asset as the ledger and its price say it is. Throws ASSET_TYPE_NOT_ALLOWED, VALUATION_METHOD_NOT_ALLOWED, INVALID_QUANTITY and
 * PRICE_UNAVAILABLE.
 */
function partsOf(
  { ids, now }: TransactionContext,
  requested: AssetParams,
  { market, chain }: AddAssetsPrefetch,
  { position, open, maxAge }: AssetPlace,
): AssetParts {
  const known = market[position];
  if (!known) throw new Error(`nothing was fetched for asset ${position}`);
  const { price, supply } = known;
  const { terms } = open.vault;
  const params = withTypeOnLedger(requested, baseTypeOf(terms.assetTypes, requested), supply, price);
  const rules = requireAcceptedType(terms, params);
  const valuationMethod = requireValuationMethod(terms, rules, params);
  if (valuationMethod !== 'custom') requireFresh(price, now, maxAge);
  const { policyId, assetName, metadata } = params;
  const customType = isBuiltInAssetType(params.type) ? null : params.type;
  const type = { type: rules.base, customType, quantity: parseQuantity(params, rules, price) };
  const deliveryDeposit = deliveryDeposits(chain.parameters).asset;
  const asset = { ...type, policyId, assetName, valuationMethod, metadata, price, deliveryDeposit };
  return { id: ids.next(), depositIndex: position, ...asset };
}

interface AssetsDeposit extends OpenWindow {
  readonly parts: readonly AssetParts[];
  readonly record: (transactionId: string) => Promise<void>;
  readonly depositAddress: string;
  readonly prefetch: AddAssetsPrefetch;
}

async function startDeposit(
  context: TransactionContext,
  { owner, caller, correlationId, errorAt }: AddAssetsInput,
  { parts, vault, window, record, depositAddress, prefetch }: AssetsDeposit,
): Promise<StartedTransaction> {
  const { chain } = prefetch;
  const deliveryDeposit = deliveryDeposits(chain.parameters).asset;
  const assets = parts.map((part) => ({ unit: unitOf(part), quantity: part.quantity }));
  try {
    return await startWalletTransaction(context, {
      kind: 'add_asset',
      vaultId: vault.id,
      actor: owner,
      prefetch,
      window,
      build: (payer, ttlSlot) =>
        buildAddAssets(chain, { owner: payer, depositAddress, assets, deliveryDeposit, ttlSlot }),
      record,
      action: 'ASSET_ADD_STARTED',
      brought: parts.map(({ id, policyId, assetName }) => ({
        resource: { type: 'asset', id },
        eventData: { assetId: id, policyId, assetName },
      })),
      caller,
      correlationId,
    });
  } catch (cause) {
    const lacking = cause instanceof ServiceError ? cause.details?.['unit'] : undefined;
    const position = assets.findIndex(({ unit }) => unit === lacking);
    throw position < 0 ? cause : errorAt(cause, position);
  }
}
