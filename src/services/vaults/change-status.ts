import type { TerminationReason, VaultStatus } from '../../domain/vault/vault.ts';
import type { Direction } from '../../domain/transitions.ts';
import type { Window, WindowStatus } from '../../domain/vault/window.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import type { Transaction } from '../../store/database.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { recordEvent } from '../../store/events.ts';
import { tryShareFence } from '../../store/fences.ts';
import { changeVaultStatus, lockVaultRow, type Vault } from '../../store/vaults.ts';
import { changeWindowStatus, getWindows } from '../../store/windows.ts';

/** DRAFT becomes ACTIVE once the creation is on the ledger and a window has opened, whichever comes last (design D6). */
export async function activateVault(scene: TransactionContext, vaultId: string): Promise<void> {
  const vault = await lockVaultRow(scene.tx, vaultId);
  const { asset, investment } = await getWindows(scene.tx, vaultId);
  const opened = asset.status !== 'PENDING' || investment.status !== 'PENDING';
  if (vault.status === 'DRAFT' && vault.creationConfirmedAt !== null && opened) {
    await moveVault(scene, vault, { status: 'ACTIVE' });
  }
}

interface VaultMove {
  status: VaultStatus;
  terminationReason?: TerminationReason;
  direction?: Direction;
}

/** Changes a vault's status and tells it. */
export async function moveVault({ tx, ids, now }: TransactionContext, vault: Vault, move: VaultMove): Promise<void> {
  await changeVaultStatus(tx, vault, move, now);
  const data = { from: vault.status, to: move.status, reason: move.terminationReason ?? null };
  await recordEvent(
    tx,
    ids,
    { type: 'VAULT_STATUS_CHANGED', data, transactionHash: null, ...platformEvent(vault.id) },
    now,
  );
}

/** Changes a window's status and tells it. */
export async function moveWindow(
  { tx, ids, now }: TransactionContext,
  vaultId: string,
  window: Window,
  to: WindowStatus,
): Promise<void> {
  await changeWindowStatus(tx, vaultId, window, to, now);
  const data = { window: window.kind, from: window.status, to };
  await recordEvent(
    tx,
    ids,
    { type: 'WINDOW_STATUS_CHANGED', data, transactionHash: null, ...platformEvent(vaultId) },
    now,
  );
}

/**
 * Whether the vault's workflow waits for its last deposits to land: both windows are over, or it has failed. A window that is
 * open stays so until `tx` ends, so whoever closes it will see what `tx` has changed; one that is closing just now may not.
 */
export async function vaultAwaitsDeposits(tx: Transaction, vaultId: string): Promise<boolean> {
  for (const kind of ['asset', 'investment'] as const) {
    if (!(await tryShareFence(tx, `window:${vaultId}:${kind}`))) return true;
  }
  const row = await tx
    .selectFrom('vaults')
    .select((query) => [
      'failed_because',
      query
        .selectFrom('windows')
        .select((count) => count.fn.countAll<string>().as('open'))
        .whereRef('windows.vault_id', '=', 'vaults.id')
        .where('windows.status', 'in', ['PENDING', 'ACTIVE'])
        .as('open_windows'),
    ])
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  return row.failed_because !== null || row.open_windows === '0';
}

/** Who acted when no caller did. */
export function platformEvent(vaultId: string): { vaultId: string; actor: string; correlationId: string } {
  return { vaultId, actor: 'platform', correlationId: vaultWorkflowId(vaultId) };
}
