import { sql, type Selectable, type RawBuilder } from 'kysely';
import type { AssetStatus } from '../../assets/rules/asset.ts';
import type { InvestmentStatus } from '../../investments/rules.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { lockShared } from '../../platform/database/locks.ts';
import type { WindowsTable } from '../../platform/database/tables/vaults.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { instant, type Instant } from '../../platform/units/time.ts';
import type { TerminationReason, HoldReason } from '../rules/vault.ts';
import {
  type Span,
  type Window,
  type WindowKind,
  type WindowStatus,
  requireOpen,
  windowTransition,
} from '../rules/window.ts';

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
  await lockShared(tx, `window:${vaultId}:${kind}`);
  const window = (await getWindows(tx, vaultId))[kind];
  requireOpen(window, now);
  return window;
}

/** Moves a window to another status. `recorded_at` is the time of Postgres, for the lag metric. */
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

/** A window, and whose it is. */
export interface VaultWindow extends Window {
  readonly vaultId: string;
}

/**
 * Locks windows that are open past their end exclusively, and their rows and vaults, until the transaction ends; windows with a
 * lock or a row that somebody holds are left out.
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
 * that was sent and may still be confirmed.
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

/** Records that a vault waits for `reason`. Returns false when it already waits for it, and keeps since when. */
export async function raiseHold(
  { tx, now }: TransactionContext,
  vaultId: string,
  reason: HoldReason,
): Promise<boolean> {
  const raised = await tx
    .insertInto('holds')
    .values({ vault_id: vaultId, reason, since: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('reason')
    .executeTakeFirst();
  return raised !== undefined;
}

/** Ends a hold; returns false when there was none. */
export async function releaseHold(db: Db | Transaction, vaultId: string, reason: HoldReason): Promise<boolean> {
  const query = db.deleteFrom('holds').where('vault_id', '=', vaultId).where('reason', '=', reason);
  return (await query.returning('reason').executeTakeFirst()) !== undefined;
}

/** The number of vaults that wait, by reason. */
export async function countHolds(db: Db): Promise<Map<HoldReason, number>> {
  const count = db.fn.countAll<string>().as('count');
  const rows = await db.selectFrom('holds').select(['reason', count]).groupBy('reason').execute();
  return new Map(rows.map((row) => [row.reason, Number(row.count)]));
}

/** Vaults that wait for one of the reasons, in random order, so that no vault is left out for long when there are more than `limit`. */
export async function vaultsHeldFor(db: Db, reasons: readonly HoldReason[], limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('holds')
    .select('vault_id')
    .where('reason', 'in', reasons)
    .groupBy('vault_id')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map((row) => row.vault_id);
}

/** The vaults that hold a deposit, as a relation: each is one step in an index, however many have ended. */
export function holdingVaults(table: 'assets' | 'investments', status: AssetStatus | InvestmentStatus) {
  const next = (after: RawBuilder<unknown>) => sql`(select vault_id from ${sql.table(table)}
    where status = ${sql.lit(status)} and vault_id > ${after} order by vault_id limit 1)`;
  return sql`(with recursive holding as (
      select ${next(sql`'00000000-0000-0000-0000-000000000000'::uuid`)} as vault_id
      union all
      select ${next(sql`holding.vault_id`)} from holding where vault_id is not null)
    select vault_id from holding where vault_id is not null)`;
}
