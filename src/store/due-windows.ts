import { sql } from 'kysely';
import type { Instant } from '../domain/units/instant.ts';
import { type Window, type WindowStatus, windowTransition } from '../domain/vault/window.ts';
import { anyOf } from './bulk-insert.ts';
import type { Transaction } from './database.ts';
import type { TransactionContext } from './transaction-context.ts';
import { readWindow } from './windows.ts';

/** A window, and whose it is. */
export interface VaultWindow extends Window {
  readonly vaultId: string;
}

/**
 * Closes the fences of windows that are open past their end, and locks them and their vaults until the transaction ends; windows with a
 * fence or a row that somebody holds are left out. Vaults that have failed are, too.
 */
export async function lockDueWindows(tx: Transaction, now: Instant, limit: number): Promise<VaultWindow[]> {
  const rows = await tx
    .selectFrom('windows')
    .innerJoin('vaults', 'vaults.id', 'windows.vault_id')
    .select(['windows.vault_id', 'windows.kind', 'windows.starts_at', 'windows.ends_at', 'windows.status'])
    .where('windows.status', '=', 'ACTIVE')
    .where('windows.ends_at', '<=', new Date(now))
    .where('vaults.failed_because', 'is', null)
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

/** Of the vaults, those with an asset, or with one that was sent and may still land. */
export async function vaultsWithAssets(tx: Transaction, vaultIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('vaults')
    .select('id')
    .where('id', '=', anyOf(vaultIds))
    .where((query) =>
      query.exists(
        query
          .selectFrom('assets')
          .select('assets.id')
          .whereRef('assets.vault_id', '=', 'vaults.id')
          .where('assets.status', 'in', ['PENDING', 'LOCKED']),
      ),
    )
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
