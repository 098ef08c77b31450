import type { AssetClass, AssetType } from '../../../domain/asset/asset.ts';
import { valuationMethodOf } from '../../../domain/asset/valuation-method.ts';
import { printAssetName } from '../../../domain/asset/asset-name.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { changeAssetStatus } from '../../../store/asset-changes.ts';
import { findLockedNft, insertAsset, lockAssetAddedBy } from '../../../store/assets.ts';
import { incrementAssetCount, decrementAssetCount } from '../../../store/vault-changes.ts';
import type { ChainTransaction } from '../../../store/chain-transactions.ts';
import { supersedeConflicting, recordAssetArrival } from '../../assets/arriving-assets.ts';
import type { TransactionContext } from '../../../store/transaction-context.ts';
import type { Execution } from '../../../store/executions.ts';
import { lovelace } from '../../../domain/units/money.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** A bought asset is an asset of the vault. */
export const buy: ExecutionEffect = {
  async reserve(tx, { vaultId }) {
    if (!(await incrementAssetCount(tx, vaultId))) throw new ServiceError('MAX_ASSETS_REACHED');
  },

  async apply(context, execution, transaction) {
    const asset =
      (await lockAssetAddedBy(context.tx, transaction.id)) ?? (await insertBought(context, execution, transaction));
    // During a rollback its seller may have added it to a vault: that transaction can no longer land.
    if (await recordAssetArrival(context, asset)) await decrementAssetCount(context.tx, asset.vaultId, -1);
  },

  async undo(context, _execution, transaction) {
    const { tx } = context;
    const asset = await lockAssetAddedBy(tx, transaction.id);
    if (asset) await changeAssetStatus(context, asset, { status: 'PENDING', direction: 'rollback' });
  },

  async abandon(context, { vaultId }, transaction) {
    const { tx } = context;
    const asset = await lockAssetAddedBy(tx, transaction.id);
    if (asset?.status === 'RELEASED') return;
    if (asset) await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'expired' });
    await decrementAssetCount(tx, vaultId);
  },

  /** An asset that was recorded before is counted by `apply`. */
  async revive({ tx }, { vaultId }, transaction) {
    if (!(await lockAssetAddedBy(tx, transaction.id))) await decrementAssetCount(tx, vaultId, -1);
  },
};

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
    valuationMethod: valuationMethodOf(type),
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
  if (await findLockedNft(context.tx, asset)) return 'CNT';
  await supersedeConflicting(context, asset);
  return 'NFT';
}
