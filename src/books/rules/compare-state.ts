import { isOnLedger, type TransactionKind } from '../../transactions/rules/transaction-state.ts';
import type { LedgerView, VaultBooks } from './books.ts';
import type { Difference } from './difference.ts';
import { vaultHoldings } from './vault-holdings.ts';

/** The transactions without which a vault is not in a status. */
const requiredKinds: Readonly<Record<VaultBooks['vault']['status'], readonly TransactionKind[]>> = {
  DRAFT: [],
  ACTIVE: ['create_vault'],
  LOCKED: ['create_vault', 'mint', 'liquidity'],
  TERMINATED: [],
};

/** Compares the status of a vault and its counters with what follows from its transactions and rows. */
export function compareState(books: VaultBooks, ledger: LedgerView): Difference[] {
  const { vault, transactions, assets } = books;
  const landed = new Set(transactions.filter(({ state }) => isOnLedger(state)).map(({ kind }) => kind));
  const missing = requiredKinds[vault.status].filter((kind) => !landed.has(kind));
  const state = (found: string): Difference => {
    return { code: 'VAULT_STATE_DIFFERS', subject: vault.id, books: vault.status, ledger: found };
  };
  const differences = missing.map((kind) => state(`${kind} is not on the ledger`));
  const isSettled = transactions.some(({ kind, state: reached }) => kind === 'liquidity' && reached === 'final');
  if (isSettled && vault.status !== 'LOCKED' && vault.status !== 'TERMINATED') differences.push(state('settled'));
  const isLocked = vault.status === 'LOCKED';
  if (isLocked && vaultHoldings(books, ledger, ['settlement']).length > 0)
    differences.push(state('the settlement address is not empty'));
  const counted = assets.filter(({ status }) => status === 'LOCKED').length;
  if (isLocked && vault.failedBecause === null && counted !== vault.countedAssets) {
    const [said, found] = [vault.countedAssets.toString(), counted.toString()];
    differences.push({ code: 'ASSET_COUNT_DIFFERS', subject: vault.id, books: said, ledger: found });
  }
  return differences;
}
