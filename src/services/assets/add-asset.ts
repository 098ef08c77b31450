import { requireNotPaused } from '../../domain/pause/pause.ts';
import { activePauses } from '../../store/pauses.ts';
import { buildAddAsset } from '../../chain/build/add-asset.ts';
import { deliveryDeposits } from '../../chain/build/deposits.ts';
import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import { acceptsAssetType } from '../../domain/vault/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { requireFresh, valueOf } from '../../domain/asset/valuation.ts';
import { insertAsset, type NewAsset } from '../../store/assets.ts';
import { storePrice } from '../../store/prices.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { incrementAssetCount } from '../../store/vault-changes.ts';
import type { ServiceContext } from '../context.ts';
import { type OpenWindow, requireOpenWindow } from '../vaults/require-vault-state.ts';
import { type StartedTransaction, startWalletTransaction } from '../transactions/start-wallet-transaction.ts';
import type { WalletPrefetch } from '../transactions/wallet-prefetch.ts';
import { type AddAssetInput, type AddAssetPrefetch, requireAccepted } from './add-asset-prefetch.ts';
import { parseQuantity, withTypeOnLedger } from '../../domain/asset/asset-params.ts';
import { reserveNft } from './reserve-nft.ts';

export interface StartedAsset extends StartedTransaction {
  readonly asset: NewAsset;
  /** Lovelace. */
  readonly value: Lovelace;
}

/**
 * Records an asset and the transaction that brings it to its owner's deposit address, while the asset window is open. An
 * unsigned attempt to add the same NFT is superseded. Throws OPERATION_PAUSED, CONTRIBUTOR_NOT_WHITELISTED, ASSET_NOT_WHITELISTED,
 * ASSET_TYPE_NOT_ALLOWED, MAX_ASSETS_REACHED, ASSET_ALREADY_IN_VAULT, PRICE_UNAVAILABLE, INVALID_QUANTITY,
 * ASSET_NOT_IN_WALLET, INSUFFICIENT_FUNDS and what `requireOpenWindow` throws.
 */
export async function addAsset(
  context: TransactionContext,
  { networkId, durationBounds }: Pick<ServiceContext, 'networkId' | 'durationBounds'>,
  input: AddAssetInput,
  prefetched: () => AddAssetPrefetch,
): Promise<StartedAsset> {
  requireNotPaused(await activePauses(context.tx), 'contribution');
  const open = await requireOpenWindow(context, input.caller, input.vaultId, 'asset');
  const { vault } = open;
  const { owner } = input;
  requireAccepted(vault, input.params, owner.address);
  const prefetch = prefetched();
  const { price } = prefetch;
  const params = withTypeOnLedger(input.params, prefetch.supply, price);
  const { type } = params;
  if (!acceptsAssetType(vault.terms, type)) throw new ServiceError('ASSET_TYPE_NOT_ALLOWED', { type });
  if (type === 'NFT') await reserveNft(context, params);

  requireFresh(price, context.now, durationBounds.valuationAge.max);
  const parts: AssetParts = {
    id: context.ids.next(),
    quantity: parseQuantity(params, price),
    deliveryDeposit: deliveryDeposits(prefetch.chain.parameters).asset,
  };
  const { address: depositAddress } = depositAddressOf(vault, owner.paymentKeyHash, networkId);
  const started = await startDeposit(context, input, { ...parts, ...open, depositAddress, prefetch });
  if (owner.signer === 'platform' && !(await incrementAssetCount(context.tx, vault.id)))
    throw new ServiceError('MAX_ASSETS_REACHED');

  const { policyId, assetName, valuationMethod, metadata } = params;
  const asset: NewAsset = {
    ...parts,
    vaultId: vault.id,
    type,
    policyId,
    assetName,
    valuationMethod,
    metadata,
    owner: owner.address,
    price,
    addTransactionId: started.transactionId,
    addedAt: context.now,
  };
  await insertAsset(context.tx, asset);
  await storePrice(context.tx, params, price, context.now);
  return { ...started, asset, value: valueOf(asset.quantity, price, vault.terms.floorPricePercentage) };
}

type AssetParts = Pick<NewAsset, 'id' | 'quantity' | 'deliveryDeposit'>;

interface AssetDeposit extends AssetParts, OpenWindow {
  readonly depositAddress: string;
  readonly prefetch: WalletPrefetch;
}

async function startDeposit(
  context: TransactionContext,
  { params: { policyId, assetName }, owner, caller, correlationId }: AddAssetInput,
  { id, quantity, deliveryDeposit, vault, window, depositAddress, prefetch }: AssetDeposit,
): Promise<StartedTransaction> {
  const unit = policyId + assetName;
  return startWalletTransaction(context, {
    kind: 'add_asset',
    vaultId: vault.id,
    actor: owner,
    prefetch,
    window,
    build: (payer, ttlSlot) =>
      buildAddAsset(prefetch.chain, { owner: payer, depositAddress, unit, quantity, deliveryDeposit, ttlSlot }),
    action: 'ASSET_ADD_STARTED',
    resource: { type: 'asset', id },
    eventData: { assetId: id, policyId, assetName },
    caller,
    correlationId,
  });
}
