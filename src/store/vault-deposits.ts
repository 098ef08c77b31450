import { type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Utxo } from '../chain/transaction.ts';
import type { Asset } from './assets.ts';
import { transactionOutputs } from './chain-transactions.ts';
import type { Db } from './database.ts';
import type { Investment } from './investments.ts';
import { vaultAssets } from './vault-assets.ts';
import { vaultInvestments } from './vault-investments.ts';
import type { DepositRef } from './transaction-deposits.ts';

/** A deposit in a vault, or one that its owner has reclaimed. */
export interface StoredDeposit extends DepositRef {
  readonly owner: string;
  /** The outputs of the transaction that brought it, and which of them holds it. */
  readonly outputs: readonly Utxo[];
  readonly depositIndex: number;
  /** Lovelace that were invested; zero for an asset. */
  readonly invested: Lovelace;
  readonly isReclaimed: boolean;
  /** Whether the settlement returns it (design D41). */
  readonly isReturned: boolean;
}

/** The deposits that are in a vault, and those that their owners have reclaimed: assets first, each kind by age. */
export async function readStoredDeposits(db: Db, vaultId: string): Promise<StoredDeposit[]> {
  const [assets, investments] = await Promise.all([
    vaultAssets(db, vaultId, ['LOCKED', 'RELEASED']),
    vaultInvestments(db, vaultId, ['CONFIRMED', 'REFUNDED']),
  ]);
  const found = [...assets.map(assetDeposit), ...investments.map(investmentDeposit)];
  const deposits = found.filter(({ isInVault, isReclaimed }) => isInVault || isReclaimed);
  const transactionIds = deposits.map(({ transactionId }) => transactionId);
  const outputs = await transactionOutputs(db, transactionIds);
  return deposits.map(({ isInVault: _, transactionId, ...deposit }) => ({
    ...deposit,
    outputs: outputs.get(transactionId) ?? [],
  }));
}

interface FoundDeposit extends Omit<StoredDeposit, 'outputs'> {
  readonly transactionId: string;
  readonly isInVault: boolean;
}

const assetDeposit = (asset: Asset): FoundDeposit => ({
  depositId: asset.id,
  depositKind: 'asset',
  owner: asset.owner,
  transactionId: asset.addTransactionId,
  depositIndex: asset.depositIndex,
  invested: lovelace(0n),
  isInVault: asset.status === 'LOCKED',
  isReclaimed: asset.status === 'RELEASED' && asset.releaseReason === 'reclaimed',
  isReturned: asset.returnReason !== null,
});

const investmentDeposit = (investment: Investment): FoundDeposit => ({
  depositId: investment.id,
  depositKind: 'investment',
  owner: investment.wallet,
  transactionId: investment.transactionId,
  depositIndex: 0,
  invested: investment.lovelace,
  isInVault: investment.status === 'CONFIRMED',
  isReclaimed: investment.status === 'REFUNDED' && investment.releaseReason === 'reclaimed',
  isReturned: investment.returnReason !== null,
});
