import { sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import { type Window, type WindowStatus, windowTransition } from '../rules/window.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { readWindow } from './windows.ts';

/** A window, and whose it is. */
export interface VaultWindow extends Window {
  readonly vaultId: string;
}

/**
 * Closes the fences of windows that are open past their end, and locks them and their vaults until the transaction ends; windows with a
 * fence or a row that somebody holds are left out.
 */
export async function lockDueWindows(tx: Transaction, now: Instant, limit: number): Promise<VaultWindow[]> {
  const rows = await tx
    .selectFrom('windows')
    .innerJoin('vaults', 'vaults.id', 'windows.vault_id')
    .select(['windows.vault_id', 'windows.kind', 'windows.starts_at', 'windows.ends_at', 'windows.status'])
    .where('windows.status', '=', 'ACTIVE')
    .where('windows.ends_at', '<=', new Date(now))
    .where(
      sql<boolean>`pg_try_advisory_xact_lock(hashtextextended('window:' || windows.vault_id || ':' || windows.kind, 0))`,
    )
    .orderBy('windows.ends_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => ({ vaultId: row.vault_id, ...readWindow(row) }));
}

/**
 * Of the vaults of these windows, those that have failed, and those whose asset window is among them and that have no asset, nor one
 * that was sent and may still land.
 */
export async function failingVaults(tx: Transaction, windows: readonly VaultWindow[]): Promise<ReadonlySet<string>> {
  const ending = windows.filter(({ kind }) => kind === 'asset').map(({ vaultId }) => vaultId);
  const rows = await tx
    .selectFrom('vaults')
    .select('id')
    .where('id', '=', anyOf(windows.map(({ vaultId }) => vaultId)))
    .where((query) => {
      const assets = query
        .selectFrom('assets')
        .select('assets.id')
        .whereRef('assets.vault_id', '=', 'vaults.id')
        .where('assets.status', 'in', ['PENDING', 'LOCKED']);
      const isEmpty = query.and([query('id', '=', anyOf(ending)), query.not(query.exists(assets))]);
      return query.or([query('failed_because', 'is not', null), isEmpty]);
    })
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** As `changeWindowStatus`, for windows of several vaults. */
export async function closeWindows(
  { tx, now }: TransactionContext,
  windows: readonly VaultWindow[],
  to: WindowStatus & ('COMPLETED' | 'FAILED'),
): Promise<void> {
  for (const { status } of windows) windowTransition(status, to);
  const keys = { vaultIds: windows.map(({ vaultId }) => vaultId), kinds: windows.map(({ kind }) => kind) };
  await tx
    .updateTable('windows')
    .set({ status: to, closed_at: new Date(now), recorded_at: sql`clock_timestamp()` })
    .where(sql<boolean>`(vault_id, kind) in (select * from unnest(${keys.vaultIds}::uuid[], ${keys.kinds}::text[]))`)
    .execute();
}
