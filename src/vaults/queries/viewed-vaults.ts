import { sql } from 'kysely';
import type { PausedArea } from '../../operations/rules/pause.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { Hold } from '../rules/hold.ts';
import type { WindowKind } from '../rules/window.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';
import {
  readViewedTermination,
  type ViewedTermination,
  viewedTermination,
  type ViewedTerminationJson,
} from '../../termination/queries/viewed-terminations.ts';
import {
  readViewedReturns,
  type ViewedReturns,
  viewedReturns,
  type ViewedReturnsJson,
} from '../../termination/queries/viewed-returns.ts';
import { type ReaderScope, visibleTo } from './visible-vaults.ts';
import { readVault, type Vault } from './vaults.ts';
import type { VaultWindows } from './windows.ts';

/** Whose stakes and assets a reading looks up, and when. */
export interface VaultReader {
  readonly scope: ReaderScope;
  /** Null for a key alone. */
  readonly wallet: string | null;
  readonly now: Instant;
}

/** A vault with what the state that its reader sees depends on. */
export interface ViewedVault<Viewed extends Vault = Vault> {
  readonly vault: Viewed;
  readonly windows: VaultWindows;
  readonly holds: readonly Hold[];
  readonly settlementPlannedAt: Instant | null;
  /** What the operator has paused on the platform. */
  readonly paused: readonly PausedArea[];
  /** Base units that the reader's wallet has staked in the vault. */
  readonly stakedPower: BaseUnits;
  /** Whether an asset of the reader's wallet is in the vault, or on its way to it. */
  readonly hasAssets: boolean;
  /** Null until the end of the settled vault is certain. */
  readonly termination: ViewedTermination | null;
  /** Null for a vault that was settled, or goes on. */
  readonly returns: ViewedReturns | null;
}

/** The columns of `viewColumns` as the driver returns them. */
export interface ViewRow {
  readonly windows: Readonly<Record<WindowKind, JsonWindow>>;
  readonly holds: readonly { readonly reason: Hold['reason']; readonly since: JsonTime }[];
  readonly planned_at: Date | null;
  readonly paused: readonly PausedArea[];
  readonly staked_power: string | null;
  readonly has_assets: boolean;
  readonly viewed_termination: ViewedTerminationJson | null;
  readonly viewed_returns: ViewedReturnsJson | null;
}

type JsonWindow = Omit<VaultWindows['asset'], 'startsAt' | 'endsAt'> &
  Readonly<Record<'startsAt' | 'endsAt', JsonTime>>;

/** What a view needs besides the row, as columns of a statement that reads vaults: one statement then reads it all. */
export function viewColumns({ wallet, now }: Pick<VaultReader, 'wallet' | 'now'>) {
  return [
    sql<ViewRow['windows']>`(select json_object_agg(kind, json_build_object('kind', kind, 'startsAt', starts_at,
      'endsAt', ends_at, 'status', windows.status)) from windows where vault_id = vaults.id)`.as('windows'),
    sql<
      ViewRow['holds']
    >`(select coalesce(json_agg(json_build_object('reason', reason, 'since', since) order by since), '[]')
      from holds where vault_id = vaults.id)`.as('holds'),
    sql<Date | null>`(select planned_at from settlements where vault_id = vaults.id)`.as('planned_at'),
    sql<PausedArea[]>`array(select area from pauses order by area)`.as('paused'),
    sql<string | null>`(select sum(voting_power) from stakes where vault_id = vaults.id and wallet = ${wallet}
      and voting_power > 0 and owner_alone_from > ${new Date(now)})`.as('staked_power'),
    sql<boolean>`exists (select from assets where vault_id = vaults.id and added_by = ${wallet}
      and assets.status in ('PENDING', 'LOCKED'))`.as('has_assets'),
    viewedTermination.as('viewed_termination'),
    viewedReturns.as('viewed_returns'),
  ] as const;
}

/** Reads a row that has the columns of `viewColumns`. */
export function readView<Viewed extends Vault>(vault: Viewed, row: ViewRow): ViewedVault<Viewed> {
  return {
    vault,
    windows: { asset: readWindow(row.windows.asset), investment: readWindow(row.windows.investment) },
    holds: row.holds.map(({ reason, since }) => ({ reason, since: jsonInstant(since) })),
    settlementPlannedAt: row.planned_at === null ? null : instant(row.planned_at),
    paused: row.paused,
    stakedPower: baseUnits(BigInt(row.staked_power ?? 0)),
    hasAssets: row.has_assets,
    termination: readViewedTermination(row.viewed_termination),
    returns: readViewedReturns(row.viewed_returns),
  };
}

function readWindow(window: JsonWindow): VaultWindows['asset'] {
  return { ...window, startsAt: jsonInstant(window.startsAt), endsAt: jsonInstant(window.endsAt) };
}

/** A vault that the reader may see; null for one that is deleted or hidden, too. */
export async function findViewedVault(
  db: Db | Transaction,
  vaultId: string,
  reader: VaultReader,
): Promise<ViewedVault | null> {
  const row = await visibleVault(db, vaultId, reader).executeTakeFirst();
  return row ? readView(readVault(row), row) : null;
}

/** The statement that reads one vault with its view. */
export function visibleVault(db: Db | Transaction, vaultId: string, reader: VaultReader) {
  return db
    .selectFrom('vaults')
    .modifyFront(prepared)
    .selectAll()
    .select(viewColumns(reader))
    .where('id', '=', vaultId)
    .where('deleted_at', 'is', null)
    .where(visibleTo(reader.scope));
}
