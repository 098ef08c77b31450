import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import {
  type CurrentDeposits,
  currentDeposits,
  readCurrentDeposits,
} from '../../settlement/queries/current-deposits.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/viewed-vaults.ts';
import { readWindow } from '../../vaults/queries/windows.ts';
import type { Window } from '../../vaults/rules/window.ts';

/** A vault with what the quote of an investment in it depends on. */
interface QuotableVault {
  readonly vault: Vault;
  /** Its investment window. */
  readonly window: Window;
  readonly deposits: CurrentDeposits;
}

/** A vault that the reader may see, with what a quote depends on, in one statement; null for one that is deleted or hidden. */
export async function findQuotableVault(db: Db, vaultId: string, scope: ReaderScope): Promise<QuotableVault | null> {
  const row = await db
    .selectFrom('vaults')
    .innerJoin('windows', 'windows.vault_id', 'vaults.id')
    .selectAll('vaults')
    .select(['windows.kind', 'windows.starts_at', 'windows.ends_at', 'windows.status as window_status'])
    .select(currentDeposits.as('deposits'))
    .where('windows.kind', '=', 'investment')
    .where('vaults.id', '=', vaultId)
    .where('vaults.deleted_at', 'is', null)
    .where(visibleTo(scope))
    .executeTakeFirst();
  if (!row) return null;
  const window = readWindow({ ...row, status: row.window_status });
  return { vault: readVault(row), window, deposits: readCurrentDeposits(row.deposits) };
}

/** What the plan of a vault counts of investments. */
interface PlannedInvestments {
  /** The sum of all, in lovelace. */
  readonly planned: Lovelace;
  /** Without those that owners have reclaimed. */
  readonly kept: Lovelace;
  /** Ids of those that owners have reclaimed. */
  readonly reclaimed: readonly string[];
}

/** What a plan counts of investments, added up by Postgres. */
export async function plannedInvestments(tx: Db | Transaction, vaultId: string): Promise<PlannedInvestments> {
  const { rows } = await sql<{ planned: string; kept: string; reclaimed: string[] }>`
    select coalesce(sum(i.lovelace), 0)::text as planned,
      coalesce(sum(i.lovelace) filter (where i.release_reason is distinct from 'reclaimed'), 0)::text as kept,
      coalesce(array_agg(i.id order by e.position) filter (where i.release_reason = 'reclaimed'), '{}') as reclaimed
    from entitlements e join investments i on i.id = e.deposit_id
    where e.vault_id = ${vaultId} and e.deposit_kind = 'investment'`.execute(tx);
  const { planned = '0', kept = '0', reclaimed = [] } = rows[0] ?? {};
  return { planned: lovelace(BigInt(planned)), kept: lovelace(BigInt(kept)), reclaimed };
}

/** What owners have taken back of the investments that a plan counts. */
export async function reclaimedInvestments(db: Db, vaultId: string): Promise<Lovelace> {
  const { rows } = await sql<{ lovelace: string }>`
    select coalesce(sum(lovelace), 0)::text as lovelace from investments i
    where vault_id = ${vaultId} and release_reason = 'reclaimed'
      and exists (select from entitlements e where e.vault_id = i.vault_id and e.deposit_id = i.id)`.execute(db);
  return lovelace(BigInt(rows[0]?.lovelace ?? 0));
}

/** What owners who have reclaimed their deposits were promised by a settlement, added up. */
export async function reclaimedShares(db: Db, vaultId: string): Promise<{ lovelace: Lovelace; ft: bigint }> {
  const { rows } = await sql<{ lovelace: string; ft: string }>`
    select coalesce(sum(coalesce(revised_lovelace, lovelace)), 0)::text as lovelace, coalesce(sum(ft), 0)::text as ft
    from entitlements where vault_id = ${vaultId} and deposit_id in (
      select id from investments where vault_id = ${vaultId} and release_reason = 'reclaimed'
      union all select id from assets where vault_id = ${vaultId} and release_reason = 'reclaimed')`.execute(db);
  const { lovelace: coin = '0', ft = '0' } = rows[0] ?? {};
  return { lovelace: lovelace(BigInt(coin)), ft: BigInt(ft) };
}
