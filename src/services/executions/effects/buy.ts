import { buildAssetPurchase } from '../../../chain/build/asset-purchase.ts';
import { type AssetType, isCntQuantity } from '../../../domain/asset/asset.ts';
import { printAssetName } from '../../../domain/asset/asset-name.ts';
import { acceptsPolicy, acceptsAssetType } from '../../../domain/vault/access.ts';
import { fieldError, ServiceError } from '../../../domain/errors.ts';
import { type ProposalEffect } from '../../../domain/proposal/effect.ts';
import { changeAssetStatus } from '../../../store/asset-changes.ts';
import { findNftInVaults, insertAsset, lockAssetAddedBy } from '../../../store/assets.ts';
import { incrementAssetCount, decrementAssetCount } from '../../../store/vault-changes.ts';
import type { Vault } from '../../../store/vaults.ts';
import type { ChainTransaction } from '../../../store/chain-transactions.ts';
import { supersedeConflicting, lockAsset } from '../../assets/arriving-assets.ts';
import type { TransactionContext } from '../../../store/transaction-context.ts';
import type { Execution } from '../../../store/executions.ts';
import { lovelace } from '../../../domain/units/money.ts';
import type { AssetClass } from '../../../domain/asset/asset.ts';
import { requirePrice } from './asset-sale.ts';
import { unitsOf } from './custody-holding.ts';
import { type ExecutionEffect, type EvaluatedRequest, type EffectRequest, requirePartner } from './effect.ts';
import { requireApproved } from '../../../domain/proposal/approval.ts';

type Purchase = Extract<ProposalEffect, { type: 'BUY' }>;

/** Moves an asset into custody and its price to the seller, in one transaction that the vault pays for. */
export const buy: ExecutionEffect<Purchase> = {
  mayNeedOperator: false,
  partner: sellerOf,

  plan(request) {
    const { approved, requested, valuation } = request;
    const sellerAddress = sellerOf(request);
    const resolved =
      requested.type === 'BUY' ? { ...requested, terms: { ...requested.terms, sellerAddress } } : requested;
    requireApproved(approved, resolved, valuation);
    requireAccepted(request);
    return { ...approved, terms: { ...approved.terms, price: requirePrice(resolved), sellerAddress } };
  },

  buildTransaction(inputs) {
    const { chain, custody, effect, free, ttlSlot } = inputs;
    const { assetNameHex: assetName, ...terms } = effect.terms;
    const bought = unitsOf([{ ...terms, assetName }]);
    const price = requirePrice(effect);
    return buildAssetPurchase(chain, {
      custody,
      utxos: free,
      assets: bought,
      price,
      seller: requirePartner(inputs),
      ttlSlot,
    });
  },

  async reserve(tx, { vaultId }) {
    if (!(await incrementAssetCount(tx, vaultId))) throw new ServiceError('MAX_ASSETS_REACHED');
  },

  async apply(context, execution, transaction) {
    const asset =
      (await lockAssetAddedBy(context.tx, transaction.id)) ?? (await insertBought(context, execution, transaction));
    // During a rollback its seller may have added it to a vault: that transaction can no longer land.
    if (await lockAsset(context, asset)) await decrementAssetCount(context.tx, asset.vaultId, -1);
  },

  async undo({ tx, now }, _execution, transaction) {
    const asset = await lockAssetAddedBy(tx, transaction.id);
    if (asset) await changeAssetStatus(tx, asset, { status: 'PENDING', direction: 'rollback' }, now);
  },

  async abandon({ tx, now }, { vaultId }, transaction) {
    const asset = await lockAssetAddedBy(tx, transaction.id);
    if (asset?.status === 'RELEASED') return;
    if (asset) await changeAssetStatus(tx, asset, { status: 'RELEASED', reason: 'expired' }, now);
    await decrementAssetCount(tx, vaultId);
  },
};

/** The seller that the action or the vote names, else the executor (design D27). */
function sellerOf({ approved, requested, executor }: EffectRequest<Purchase>): string {
  const named = requested.type === 'BUY' ? requested.terms.sellerAddress : null;
  return named ?? approved.terms.sellerAddress ?? executor;
}

/** Throws ASSET_IS_VAULT_TOKEN: the value of a vault's tokens would depend on itself. */
export function requireForeign({ terms }: Purchase, vault: Vault): void {
  if (terms.policyId === vault.policyId) throw new ServiceError('ASSET_IS_VAULT_TOKEN');
}

/**
 * The rules for contributed assets apply to bought assets too. Throws ASSET_IS_VAULT_TOKEN, ASSET_NOT_WHITELISTED,
 * ASSET_TYPE_NOT_ALLOWED, INVALID_QUANTITY and MAX_ASSETS_REACHED.
 */
function requireAccepted({ approved, vault, bought }: EvaluatedRequest<Purchase>): void {
  const { terms } = approved;
  requireForeign(approved, vault);
  if (!acceptsPolicy(vault.terms, terms.policyId)) throw new ServiceError('ASSET_NOT_WHITELISTED');
  if (bought && !acceptsAssetType(vault.terms, bought.type)) throw new ServiceError('ASSET_TYPE_NOT_ALLOWED');
  if (bought?.type === 'CNT' && !isCntQuantity(terms.quantity, bought.price.decimals)) {
    const message = `The vote approved ${terms.quantity} base units; a CNT comes in 1 to 1,000,000 whole tokens`;
    throw fieldError('INVALID_QUANTITY', 'action.details.quantity', message);
  }
  if (vault.countedAssets >= vault.terms.maxAssets) throw new ServiceError('MAX_ASSETS_REACHED');
}

async function insertBought(context: TransactionContext, execution: Execution, { id }: ChainTransaction) {
  const { effect, vaultId, bought, partner, proposalId } = execution;
  if (effect.type !== 'BUY' || !bought || !partner) throw new Error(`execution ${execution.id} buys nothing`);
  const { policyId, assetNameHex: assetName, quantity } = effect.terms;
  const type = bought.type === 'NFT' ? await assetTypeOfNft(context, { policyId, assetName }) : bought.type;
  await insertAsset(context.tx, {
    id: context.ids.next(),
    vaultId,
    type,
    policyId,
    assetName,
    quantity,
    valuationMethod: type === 'NFT' ? 'floor_price' : 'dex_price',
    metadata: { name: printAssetName(assetName), description: '', imageUrl: '', attributes: { boughtBy: proposalId } },
    owner: partner.wallet,
    price: bought.price,
    deliveryDeposit: lovelace(0n),
    addTransactionId: id,
    addedAt: context.now,
  });
  const asset = await lockAssetAddedBy(context.tx, id);
  if (!asset) throw new Error(`the asset bought by execution ${execution.id} was not recorded`);
  return asset;
}

/** NFT, or CNT when a vault holds one of that name: then more than one exists, and the held one is not superseded. */
async function assetTypeOfNft(context: TransactionContext, asset: AssetClass): Promise<AssetType> {
  const other = await findNftInVaults(context.tx, asset);
  if (other?.status === 'LOCKED') return 'CNT';
  await supersedeConflicting(context, asset);
  return 'NFT';
}
