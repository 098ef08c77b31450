import type { Direction } from '../platform/states/transitions.ts';
import type { TerminationReason, VaultStatus } from './rules/vault.ts';
import type { Window, WindowStatus } from './rules/window.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { changeVaultStatus } from './queries/vault-changes.ts';
import { lockVaultRow, type Vault } from './queries/vaults.ts';
import { changeWindowStatus, getWindows } from './queries/windows.ts';
import { platformEventFields, publish } from '../events/publish.ts';

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
