import type { AssetClass, AssetType } from '../../assets/rules/asset.ts';
import { valuationMethodOf } from '../../prices/rules/valuation-method.ts';
import { printAssetName } from '../../assets/rules/asset-name.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { changeAssetStatus } from '../../assets/queries/asset-changes.ts';
import {
  type Asset,
  findLockedNft,
  insertAssets,
  lockAssetsAddedBy,
  type NewAsset,
} from '../../assets/queries/assets.ts';
import { addToAssetCount, decrementAssetCount } from '../../vaults/queries/vault-changes.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { supersedeConflicting, recordAssetArrival } from '../../assets/arriving-assets.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { Execution } from '../queries/executions.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** A bought asset is an asset of the vault. */
export const buy: ExecutionEffect = {
  async reserve(tx, { vaultId }) {
    if (!(await addToAssetCount(tx, vaultId, 1))) throw new ServiceError('MAX_ASSETS_REACHED');
  },

  async apply(context, execution, transaction) {
    const asset = (await lockBought(context, transaction)) ?? (await insertBought(context, execution, transaction));
    // During a rollback its seller may have added it to a vault: that transaction can no longer land.
    if (await recordAssetArrival(context, asset)) await decrementAssetCount(context.tx, asset.vaultId, -1);
  },

  async undo(context, _execution, transaction) {
    const asset = await lockBought(context, transaction);
    if (asset) await changeAssetStatus(context, asset, { status: 'PENDING', direction: 'rollback' });
  },

  async abandon(context, { vaultId }, transaction) {
    const asset = await lockBought(context, transaction);
    if (asset?.status === 'RELEASED') return;
    if (asset) await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'expired' });
    await decrementAssetCount(context.tx, vaultId);
  },

  /** An asset that was recorded before is counted by `apply`. */
  async revive(context, { vaultId }, transaction) {
    if (!(await lockBought(context, transaction))) await decrementAssetCount(context.tx, vaultId, -1);
  },
};

/** The asset that a purchase has brought; null when none is recorded yet. */
async function lockBought({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Asset | null> {
  const [asset = null] = await lockAssetsAddedBy(tx, id);
  return asset;
}

async function insertBought(context: TransactionContext, execution: Execution, transaction: ChainTransaction) {
  const { effect, vaultId, bought, partner, proposalId } = execution;
  if (effect.type !== 'BUY' || !bought || !partner) throw new Error(`execution ${execution.id} buys nothing`);
  const { policyId, assetNameHex: assetName, quantity } = effect.terms;
  const type = bought.type === 'NFT' ? await assetTypeOfNft(context, { policyId, assetName }) : bought.type;
  const asset: NewAsset = {
    id: context.ids.next(),
    vaultId,
    type,
    customType: null,
    policyId,
    assetName,
    quantity,
    valuationMethod: valuationMethodOf(type),
    metadata: { name: printAssetName(assetName), description: '', imageUrl: '', attributes: { boughtBy: proposalId } },
    owner: partner.wallet,
    price: bought.price,
    deliveryDeposit: lovelace(0n),
    addTransactionId: transaction.id,
    depositIndex: 0,
    addedAt: context.now,
  };
  await insertAssets(context.tx, [asset]);
  const recorded = await lockBought(context, transaction);
  if (!recorded) throw new Error(`the asset bought by execution ${execution.id} was not recorded`);
  return recorded;
}

/** NFT, or CNT when a vault holds one of that name: then more than one exists, and the held one is not superseded. */
async function assetTypeOfNft(context: TransactionContext, asset: AssetClass): Promise<AssetType> {
  if (await findLockedNft(context.tx, asset)) return 'CNT';
  await supersedeConflicting(context, asset);
  return 'NFT';
}
