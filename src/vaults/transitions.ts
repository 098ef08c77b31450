import { platformEventFields, publish } from '../events/publish.ts';
import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { tryLockShared } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Direction } from '../platform/states.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { isAnyOpen, vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { depositKinds, hasEnded } from '../transactions/rules.ts';
import { changeVaultStatus } from './queries/vault-changes.ts';
import { lockVaultRow, type Vault, getVault } from './queries/vaults.ts';
import { changeWindowStatus, getWindows, findWindowProgress } from './queries/windows.ts';
import type { TerminationReason, VaultStatus } from './rules/vault.ts';
import type { Window, WindowStatus } from './rules/window.ts';

interface VaultStatusChange {
  readonly status: VaultStatus;
  readonly terminationReason?: TerminationReason;
  readonly direction?: Direction;
}

/** Changes the status of a vault and publishes the change. Throws INVALID_TRANSITION (design D6). */
export async function transitionVault(
  context: TransactionContext,
  vault: Vault,
  transition: VaultStatusChange,
): Promise<void> {
  await changeVaultStatus(context, vault, transition);
  const data = { from: vault.status, to: transition.status, reason: transition.terminationReason ?? null };
  await publish(context, {
    event: { type: 'VAULT_STATUS_CHANGED', ...platformEventFields(vault.id), transactionHash: null, data },
  });
}

/** Changes the status of a window and publishes the change. Throws INVALID_TRANSITION (design D7). */
export async function transitionWindow(
  context: TransactionContext,
  vaultId: string,
  window: Window,
  to: WindowStatus,
): Promise<void> {
  await changeWindowStatus(context, vaultId, window, to);
  const data = { window: window.kind, from: window.status, to };
  await publish(context, {
    event: { type: 'WINDOW_STATUS_CHANGED', ...platformEventFields(vaultId), transactionHash: null, data },
  });
}

/** Makes a DRAFT vault ACTIVE once its creation is on the ledger and one of its windows has opened (design D6). */
export async function activateVault(context: TransactionContext, vaultId: string): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  // A deleted vault has no windows any more.
  if (vault.status !== 'DRAFT' || vault.creationConfirmedAt === null) return;
  const { asset, investment } = await getWindows(context.tx, vaultId);
  const hasOpened = asset.status !== 'PENDING' || investment.status !== 'PENDING';
  if (hasOpened) await transitionVault(context, vault, { status: 'ACTIVE' });
}

/**
 * Whether the workflow of the vault waits for its last deposits to reach the ledger: both windows have ended, or the vault has
 * failed. A window that is open stays open until `tx` ends, so the transaction that closes it sees the changes of `tx`. A
 * window that another transaction is closing may miss these changes, so the result is then true.
 */
export async function vaultAwaitsDeposits(tx: Transaction, vaultId: string): Promise<boolean> {
  for (const kind of ['asset', 'investment'] as const) {
    if (!(await tryLockShared(tx, `window:${vaultId}:${kind}`))) return true;
  }
  const { failedBecause, unfinishedWindows } = await findWindowProgress(tx, vaultId);
  return failedBecause !== null || unfinishedWindows === 0;
}

/**
 * Whether every deposit of the vault is final or has ended, and all that follows from it is recorded (design D45). A vault that
 * has failed returns what is recorded, and does not wait for an operator with it. One whose mint has been confirmed, or still may, does not go
 * back to this wait (design D13c): its workflow may start again while a rollback has removed a deposit.
 */
export async function areDepositsFinal(db: Db, vaultId: string): Promise<boolean> {
  const { failedBecause } = await getVault(db, vaultId);
  const mints = await vaultTransactions(db, vaultId, ['mint']);
  if (failedBecause === null && mints.some(({ state }) => !hasEnded(state))) return true;
  if (await isAnyOpen(db, vaultId, depositKinds)) return false;
  return failedBecause !== null || !(await isVaultInQuarantine(db, vaultId));
}

/**
 * Wakes the workflow of a failed vault, or starts it again when it has ended: a deposit is in the vault that it has to return. Locks
 * the vault, so that it does not end without having seen the deposit.
 */
export async function resumeRefunds(context: TransactionContext, vaultId: string): Promise<void> {
  const { status, failedBecause } = await lockVaultRow(context.tx, vaultId);
  if (status !== 'TERMINATED' && failedBecause === null) return;
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), message);
}
