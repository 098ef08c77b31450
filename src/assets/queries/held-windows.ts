import type { Pause } from '../../operations/rules/pause.ts';
import type { WindowKind } from '../../vaults/rules/window.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { fenceShare } from '../../platform/database/fences.ts';
import { pausesRead } from '../../operations/queries/pauses.ts';
import { allOf, type Statement } from '../../platform/database/statements.ts';
import { type Vault, vaultRead } from '../../vaults/queries/vaults.ts';
import { type VaultWindows, windowsRead } from '../../vaults/queries/windows.ts';

/** A vault and its windows, one of which cannot close before the transaction ends. */
export interface HeldWindow {
  readonly vault: Vault | null;
  readonly windows: VaultWindows | null;
}

/** What a deposit depends on. */
export interface DepositsRead {
  readonly pauses: readonly Pause[];
  readonly held: HeldWindow;
}

export function depositsRead(tx: Transaction, vaultId: string, kind: WindowKind): Statement<DepositsRead> {
  const read = allOf([pausesRead(tx), heldWindowRead(tx, vaultId, kind)] as const);
  return async (connection) => {
    const [pauses, held] = await read(connection);
    return { pauses, held };
  };
}

/** Keeps the window from closing until the transaction ends. */
export function heldWindowRead(tx: Transaction, vaultId: string, kind: WindowKind): Statement<HeldWindow> {
  const fence = fenceShare(tx, `window:${vaultId}:${kind}`);
  const read = allOf([vaultRead(tx, vaultId), fence, windowsRead(tx, vaultId)] as const);
  return async (connection) => {
    const [vault, , windows] = await read(connection);
    return { vault, windows };
  };
}
