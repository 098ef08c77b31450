import { sql, type Selectable } from 'kysely';
import { instant } from '../../platform/units/instant.ts';
import type { TerminationReason } from '../rules/vault.ts';
import {
  type Span,
  type Window,
  type WindowKind,
  type WindowStatus,
  requireOpen,
  windowTransition,
} from '../rules/window.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { shareFence } from '../../platform/database/fences.ts';
import type { WindowsTable } from '../../platform/database/tables/vaults.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

export interface VaultWindows {
  readonly asset: Window;
  readonly investment: Window;
}

export async function insertWindows(tx: Transaction, vaultId: string, spans: Record<WindowKind, Span>): Promise<void> {
  const rows = (['asset', 'investment'] as const).map((kind) => ({
    vault_id: vaultId,
    kind,
    starts_at: new Date(spans[kind].startsAt),
    ends_at: new Date(spans[kind].endsAt),
    status: 'PENDING' as const,
  }));
  await tx.insertInto('windows').values(rows).execute();
}

/** Both windows of a vault. Throws when there are none. */
export async function getWindows(db: Db | Transaction, vaultId: string): Promise<VaultWindows> {
  const windows = await findWindows(db, vaultId);
  if (!windows) throw new Error(`vault ${vaultId} has no windows`);
  return windows;
}

/** Both windows of a vault; null when there are none. */
export async function findWindows(db: Db | Transaction, vaultId: string): Promise<VaultWindows | null> {
  const rows = await db.selectFrom('windows').selectAll().where('vault_id', '=', vaultId).execute();
  const [asset, investment] = (['asset', 'investment'] as const).map((kind) => rows.find((row) => row.kind === kind));
  return asset && investment ? { asset: readWindow(asset), investment: readWindow(investment) } : null;
}

/** Why the vault has failed, or null, and how many of its windows have not ended. Read in one statement. */
export async function findWindowProgress(
  tx: Transaction,
  vaultId: string,
): Promise<{ failedBecause: TerminationReason | null; unfinishedWindows: number }> {
  const row = await tx
    .selectFrom('vaults')
    .select((query) => [
      'failed_because',
      query
        .selectFrom('windows')
        .select((count) => count.fn.countAll<string>().as('unfinished'))
        .whereRef('windows.vault_id', '=', 'vaults.id')
        .where('windows.status', 'in', ['PENDING', 'ACTIVE'])
        .as('unfinished_windows'),
    ])
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  return { failedBecause: row.failed_because, unfinishedWindows: Number(row.unfinished_windows) };
}

/** Keeps the window from closing until the transaction ends. Throws the errors of `requireOpen`. */
export async function holdWindowOpen(
  { tx, now }: TransactionContext,
  vaultId: string,
  kind: WindowKind,
): Promise<Window> {
  await shareFence(tx, `window:${vaultId}:${kind}`);
  const window = (await getWindows(tx, vaultId))[kind];
  requireOpen(window, now);
  return window;
}

/** Moves a window to another status; throws INVALID_TRANSITION. `recorded_at` is the time of Postgres, for the lag metric. */
export async function changeWindowStatus(
  { tx, now }: TransactionContext,
  vaultId: string,
  window: Window,
  to: WindowStatus,
): Promise<void> {
  const status = windowTransition(window.status, to);
  await tx
    .updateTable('windows')
    .set({
      status,
      recorded_at: sql`clock_timestamp()`,
      ...((status === 'COMPLETED' || status === 'FAILED') && { closed_at: new Date(now) }),
    })
    .where('vault_id', '=', vaultId)
    .where('kind', '=', window.kind)
    .execute();
}

/** The window of a row. */
export function readWindow(row: Pick<Selectable<WindowsTable>, 'kind' | 'starts_at' | 'ends_at' | 'status'>): Window {
  return {
    kind: row.kind,
    startsAt: instant(row.starts_at),
    endsAt: instant(row.ends_at),
    status: row.status,
  };
}
