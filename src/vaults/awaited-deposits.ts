import { depositKinds, hasEnded } from '../transactions/rules/transaction-state.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { tryShareFence } from '../platform/database/fences.ts';
import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import { isAnyOpen, vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { getVault } from './queries/vaults.ts';
import { findWindowProgress } from './queries/windows.ts';

/**
 * Whether the workflow of the vault waits for its last deposits to reach the ledger: both windows have ended, or the vault has
 * failed. A window that is open stays open until `tx` ends, so the transaction that closes it sees the changes of `tx`. A
 * window that another transaction is closing may miss these changes, so the result is then true.
 */
export async function vaultAwaitsDeposits(tx: Transaction, vaultId: string): Promise<boolean> {
  for (const kind of ['asset', 'investment'] as const) {
    if (!(await tryShareFence(tx, `window:${vaultId}:${kind}`))) return true;
  }
  const { failedBecause, unfinishedWindows } = await findWindowProgress(tx, vaultId);
  return failedBecause !== null || unfinishedWindows === 0;
}

/**
 * Whether every deposit of the vault is final or has ended, and all that follows from it is recorded (design D45). A vault that
 * has failed returns what is recorded, and does not wait for an operator with it. One whose mint has landed, or still may, does not go
 * back to this wait (design D13c): its workflow may start again while a rollback has removed a deposit.
 */
export async function areDepositsFinal(db: Db, vaultId: string): Promise<boolean> {
  const { failedBecause } = await getVault(db, vaultId);
  const mints = await vaultTransactions(db, vaultId, ['mint']);
  if (failedBecause === null && mints.some(({ state }) => !hasEnded(state))) return true;
  if (await isAnyOpen(db, vaultId, depositKinds)) return false;
  return failedBecause !== null || !(await isVaultInQuarantine(db, vaultId));
}
