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
import type { AssetClass } from '../../../store/prices.ts';
import { requirePrice } from './asset-sale.ts';
import { unitsOf } from './custody-holding.ts';
import { type ExecutionEffect, type EvaluatedRequest, type EffectRequest, requirePartner } from './effect.ts';
import { requireApproved } from '../../../domain/proposal/approval.ts';

type Purchase = Extract<ProposalEffect, { type: 'BUY' }>;

/** An asset into custody, its price to the seller, in one transaction that the vault pays for. */
export const buy: ExecutionEffect<Purchase> = {
  mayNeedOperator: false,
  partner: sellerOf,

  plan(judged) {
    const { approved, requested, valuation } = judged;
    const sellerAddress = sellerOf(judged);
    const resolved =
      requested.type === 'BUY' ? { ...requested, terms: { ...requested.terms, sellerAddress } } : requested;
    requireApproved(approved, resolved, valuation);
    requireTaken(judged);
    return { ...approved, terms: { ...approved.terms, price: requirePrice(resolved), sellerAddress } };
  },

  buildTransaction(material) {
    const { chain, custody, effect, free, ttlSlot } = material;
    const { assetNameHex: assetName, ...terms } = effect.terms;
    const bought = unitsOf([{ ...terms, assetName }]);
    const price = requirePrice(effect);
    return buildAssetPurchase(chain, {
      custody,
      utxos: free,
      assets: bought,
      price,
      seller: requirePartner(material),
      ttlSlot,
    });
  },

  async reserve(tx, { vaultId }) {
    if (!(await incrementAssetCount(tx, vaultId))) throw new ServiceError('MAX_ASSETS_REACHED');
  },

  async apply(scene, execution, transaction) {
    const asset = (await lockAssetAddedBy(scene.tx, transaction.id)) ?? (await enter(scene, execution, transaction));
    // While it was rolled back its seller had it on the way into a vault again, which cannot land now.
    if (await lockAsset(scene, asset)) await decrementAssetCount(scene.tx, asset.vaultId, -1);
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

/** Who executes sells, unless the vote or the action names somebody else (design D27). */
function sellerOf({ approved, requested, executor }: EffectRequest<Purchase>): string {
  const named = requested.type === 'BUY' ? requested.terms.sellerAddress : null;
  return named ?? approved.terms.sellerAddress ?? executor;
}

/** Throws ASSET_IS_VAULT_TOKEN: what a vault's tokens are worth would follow from themselves. */
export function requireForeign({ terms }: Purchase, vault: Vault): void {
  if (terms.policyId === vault.policyId) throw new ServiceError('ASSET_IS_VAULT_TOKEN');
}

/**
 * What a vault may contain holds for what it buys, too. Throws ASSET_IS_VAULT_TOKEN, ASSET_NOT_WHITELISTED,
 * ASSET_TYPE_NOT_ALLOWED, INVALID_QUANTITY and MAX_ASSETS_REACHED.
 */
function requireTaken({ approved, vault, bought }: EvaluatedRequest<Purchase>): void {
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

async function enter(scene: TransactionContext, execution: Execution, { id }: ChainTransaction) {
  const { effect, vaultId, bought, partner, proposalId } = execution;
  if (effect.type !== 'BUY' || !bought || !partner) throw new Error(`execution ${execution.id} buys nothing`);
  const { policyId, assetNameHex: assetName, quantity } = effect.terms;
  const type = bought.type === 'NFT' ? await typeOfOne(scene, { policyId, assetName }) : bought.type;
  await insertAsset(scene.tx, {
    id: scene.ids.next(),
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
    addedAt: scene.now,
  });
  const asset = await lockAssetAddedBy(scene.tx, id);
  if (!asset) throw new Error(`the asset bought by execution ${execution.id} is not there`);
  return asset;
}

/** An NFT, unless a vault holds one of that name: then there are several of it, and what lies there must not give way. */
async function typeOfOne(scene: TransactionContext, asset: AssetClass): Promise<AssetType> {
  const other = await findNftInVaults(scene.tx, asset);
  if (other?.status === 'LOCKED') return 'CNT';
  await supersedeConflicting(scene, asset);
  return 'NFT';
}
