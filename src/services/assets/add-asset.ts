import type { Caller } from '../../domain/identity/caller.ts';
import { buildAddAsset } from '../../chain/build/add-asset.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import { deliveryDeposits } from '../../chain/build/deposits.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import { mayContribute, acceptsPolicy, acceptsAssetType } from '../../domain/vault/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { type Price, requireFresh, valueOf } from '../../domain/asset/valuation.ts';
import { insertAsset, type NewAsset } from '../../store/assets.ts';
import { recordEvent } from '../../store/events.ts';
import { storePrice } from '../../store/prices.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { countAsset, type Vault } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import { type AssetRequest, type AssetParams, readAssetMetadata, readQuantity } from '../../http/assets/request.ts';
import type { ServiceContext } from '../context.ts';
import { accessOf } from '../vaults/read-vaults.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../publish.ts';
import { openVault, requireTimeToLand } from '../vaults/open-vault.ts';
import {
  deadlineBefore,
  buildWithPlatformFunds,
  type RecordedTransaction,
  buildAndRecord,
} from '../transactions/record-transaction.ts';
import { reserveNft } from './reserve-nft.ts';

/** What was fetched before the unit of work. */
export interface AddAssetPrefetch {
  readonly chain: NetworkState;
  readonly price: Price;
  /** Of the owner. */
  readonly utxos: readonly Utxo[];
}

interface Addition {
  readonly vaultId: string;
  readonly request: AssetRequest;
  readonly wish: AssetParams;
  readonly owner: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface AddedAsset extends RecordedTransaction {
  readonly asset: NewAsset;
  readonly value: Lovelace;
}

/**
 * Records an asset and the transaction that brings it to its owner's deposit address, while the asset window is open.
 * Every refusal has a code of its own; an unsigned attempt to add the same NFT gives way.
 */
export async function addAsset(
  work: TransactionContext,
  context: ServiceContext,
  addition: Addition,
  facts: () => AddAssetPrefetch,
): Promise<AddedAsset> {
  const { tx, now } = work;
  const { ids, networkId } = context;
  const { wish, owner, caller, request } = addition;
  const { vault, window } = await openVault(work, caller, addition.vaultId, 'asset');
  requireWelcome(vault, wish, owner.address);
  if (wish.type === 'NFT') await reserveNft(work, context, wish);

  const { chain, utxos, price } = facts();
  requireFresh(price, now, context.durationBounds.valuationAge.max);
  const quantity = readQuantity(request, wish, price);
  const deadline = deadlineBefore(window.endsAt, now, chain.anchor);
  requireTimeToLand(deadline, window, work);

  const transactionId = ids.next();
  const ownerWorkflow = transactionWorkflowId(transactionId);
  const deliveryDeposit = deliveryDeposits(chain.parameters).asset;
  const { address: depositAddress } = depositAddressOf(vault, owner.paymentKeyHash, networkId);
  const unit = wish.policyId + wish.assetName;
  const { signer, address } = owner;
  const record = {
    id: transactionId,
    kind: 'add_asset',
    vaultId: vault.id,
    ownerWorkflow,
    signer,
    wallet: address,
  } as const;
  const purse = { address, utxos, deadline, anchor: chain.anchor };
  const { transaction, expiresAt } = await buildAndRecord(work, record, purse, (free, ttlSlot) => {
    const payer = { address, keyHash: owner.paymentKeyHash, utxos: free };
    const build = () =>
      buildAddAsset(chain, { owner: payer, depositAddress, unit, quantity, deliveryDeposit, ttlSlot });
    return signer === 'platform' ? buildWithPlatformFunds(build) : build();
  });
  if (signer === 'platform' && !(await countAsset(tx, vault.id))) throw new ServiceError('MAX_ASSETS_REACHED');

  const { policyId, assetName, type, valuationMethod } = wish;
  const asset: NewAsset = {
    id: ids.next(),
    vaultId: vault.id,
    type,
    policyId,
    assetName,
    quantity,
    valuationMethod,
    metadata: readAssetMetadata(request),
    owner: address,
    price,
    deliveryDeposit,
    addTransactionId: transactionId,
    addedAt: now,
  };
  await insertAsset(tx, asset);
  await storePrice(tx, wish, price);
  await enqueueWorkflowMessage(tx, ids, ownerWorkflow, {
    kind: 'start',
    workflow: 'transaction',
    transactionId,
    vaultId: vault.id,
  });
  await tell(work, context, addition, asset, transaction);
  return { asset, transaction, expiresAt, value: valueOf(quantity, price, vault.terms.floorPricePercentage) };
}

function requireWelcome(vault: Vault, { policyId, type }: AssetParams, owner: string): void {
  if (!mayContribute(accessOf(vault), owner)) throw new ServiceError('CONTRIBUTOR_NOT_WHITELISTED');
  if (!acceptsPolicy(vault.terms, policyId)) throw new ServiceError('ASSET_NOT_WHITELISTED', { policyId });
  if (!acceptsAssetType(vault.terms, type)) throw new ServiceError('ASSET_TYPE_NOT_ALLOWED', { type });
  const { maxAssets } = vault.terms;
  if (vault.countedAssets >= maxAssets) throw new ServiceError('MAX_ASSETS_REACHED', { maxAssets });
}

async function tell(
  { tx, now }: TransactionContext,
  { ids }: ServiceContext,
  { owner, caller, correlationId }: Addition,
  { id: assetId, vaultId, policyId, assetName }: NewAsset,
  { hash: transactionHash }: BuiltTransaction,
): Promise<void> {
  const told = {
    vaultId,
    actor: owner.address,
    transactionHash,
    correlationId,
    data: { assetId, policyId, assetName },
  };
  await recordEvent(tx, ids, { type: 'ASSET_ADD_STARTED', ...told }, now);
  const deed = { action: 'ASSET_ADD_STARTED', resource: { type: 'asset', id: assetId }, caller } as const;
  const { onBehalfOf } = owner;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { vaultId, transactionHash } } });
}
