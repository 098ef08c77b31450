import { supersedeConflicting, recordAssetConfirmation, releaseAssets, restoreAssets } from '../assets/on-ledger.ts';
import {
  changeAssetStatus,
  type Asset,
  findLockedNft,
  insertAssets,
  lockAssetsAddedBy,
  type NewAsset,
  setStakingAddress,
} from '../assets/queries/assets.ts';
import { type AssetClass, type AssetType, printAssetName } from '../assets/rules/asset.ts';
import type { Execution } from './queries.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { lovelace } from '../platform/units/money.ts';
import { valuationMethodOf } from '../prices/rules/valuation-method.ts';
import type { ProposalEffect } from '../proposals/rules/effects.ts';
import type { ProposalType } from '../proposals/rules/proposal.ts';
import { beginTermination, publishClaimsChange, takeBackTermination } from '../termination/begin-termination.ts';
import { changePot, lockTermination, setSaleExtension } from '../termination/queries/terminations.ts';
import { extensionAfterSale } from '../termination/rules/claims.ts';
import { parseHandedAssets } from '../termination/rules/pot.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import {
  addToAssetCount,
  decrementAssetCount,
  setFailureReason,
  revertLiquidation,
} from '../vaults/queries/vault-changes.ts';
import { getVault } from '../vaults/queries/vaults.ts';

/** What the execution of one type of proposal changes in Postgres. It receives only executions of that type. */
interface ExecutionEffect {
  /** Reserves what must be available when the submitted transaction is confirmed. */
  reserve?(tx: Transaction, execution: Execution): Promise<void>;
  /** Records the effect in Postgres when the transaction is on the ledger. */
  apply(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Begins what only a final transaction may begin. */
  final?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Undoes `apply` after a rollback. */
  undo(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Releases what was reserved, when the transaction can no longer be confirmed. */
  abandon?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Undoes `abandon`: the transaction is confirmed after all, whatever the limits of the vault are by then. */
  revive?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
}

/** A bought asset is an asset of the vault. */
const buy: ExecutionEffect = {
  async reserve(tx, { vaultId }) {
    if (!(await addToAssetCount(tx, vaultId, 1))) throw new ServiceError('MAX_ASSETS_REACHED');
  },

  async apply(context, execution, transaction) {
    const asset = (await lockBought(context, transaction)) ?? (await insertBought(context, execution, transaction));
    // During a rollback its seller may have added it to a vault: that transaction can no longer be confirmed.
    if (await recordAssetConfirmation(context, asset)) await decrementAssetCount(context.tx, asset.vaultId, -1);
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

/** Sold assets are RELEASED. The price of a sale while claims run is in the pot once it is final. */
export const assetSale: ExecutionEffect = {
  async apply(context, { effect }) {
    await releaseAssets(context, effect.assetIds, 'sold');
  },

  async final(context, { vaultId }, transaction) {
    const { tx, now } = context;
    const credit = await creditOf(context, vaultId, transaction);
    if (credit === 0n) return;
    const credited = await changePot(tx, vaultId, { lovelace: credit });
    const extension = credited && extensionAfterSale(credited, now);
    const extended = extension && (await setSaleExtension(tx, vaultId, extension));
    await publishClaimsChange(context, extended ?? credited, transaction);
  },

  async undo(context, { effect, vaultId }, transaction) {
    const credit = transaction.state === 'final' ? await creditOf(context, vaultId, transaction) : 0n;
    if (credit > 0n) {
      const debited = await changePot(context.tx, vaultId, { lovelace: 0n - credit });
      await publishClaimsChange(context, debited, transaction);
    }
    await restoreAssets(context, effect.assetIds);
  },
};

/** What a final sale brings into the pot of a vault that ends. */
async function creditOf(
  { tx }: TransactionContext,
  vaultId: string,
  { outputs: [proceeds] }: ChainTransaction,
): Promise<bigint> {
  const termination = await lockTermination(tx, vaultId);
  const { contractAddress, formerCustodies } = await getVault(tx, vaultId);
  const custodies = [contractAddress, ...formerCustodies.map((former) => former.contractAddress)];
  // One that was sent before the end began has brought its price to custody, from where it was gathered.
  return !termination || proceeds === undefined || custodies.includes(proceeds.address) ? 0n : proceeds.lovelace;
}

/** Staked assets are at one of the vault's staking addresses. */
const stake: ExecutionEffect = {
  apply: (context, execution) => recordPlace(context, execution, 'out'),
  undo: (context, execution) => recordPlace(context, execution, 'back'),
};

async function recordPlace(context: TransactionContext, { effect }: Execution, outWhen: 'out' | 'back'): Promise<void> {
  if (effect.type !== 'STAKE') throw new Error(`${effect.type} stakes nothing`);
  const { direction, stakingAddress } = effect.terms;
  await setStakingAddress(context, effect.assetIds, direction === outWhen ? stakingAddress : null);
}

/**
 * Ends the vault: it accepts no stakes and no proposals from the first block on, and its end begins when that is final. A rollback that undoes
 * a final one leaves the end decided until it is certain that the transaction cannot be confirmed again.
 */
export const liquidate: ExecutionEffect = {
  async apply(context, { vaultId }) {
    await setFailureReason(context, vaultId, 'liquidated');
  },

  final: beginLiquidation,

  async undo(context, execution) {
    await revertLiquidation(context, execution);
    await signalVault(context, execution.vaultId);
  },

  async abandon(context, execution) {
    await takeBackTermination(context, execution);
    await signalVault(context, execution.vaultId);
  },
};

/** Begins the end of a vault as its LIQUIDATE has decided it, which is final. */
async function beginLiquidation(
  context: TransactionContext,
  { vaultId, effect }: Pick<Execution, 'vaultId' | 'effect'>,
): Promise<void> {
  const { terms } = effect as Extract<ProposalEffect, { type: 'LIQUIDATE' }>;
  const { remainingAssetsTo, unclaimedLovelaceTo, remainingAssets } = terms;
  const recipients = { remainingAssetsTo, unclaimedLovelaceTo, handedAssets: parseHandedAssets(remainingAssets) };
  await beginTermination(context, vaultId, { reason: 'liquidated', recipients });
}

/** A programmed end that has come meanwhile begins now. */
async function signalVault(context: TransactionContext, vaultId: string): Promise<void> {
  const signal = { kind: 'signal', signal: 'liquidationDecided' } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), signal);
}

/** What each type of proposal changes when it is executed (design D27). */
export const executionEffects: Readonly<Record<ProposalType, ExecutionEffect>> = {
  ASSET_SALE: assetSale,
  BUY: buy,
  STAKE: stake,
  LIQUIDATE: liquidate,
};
