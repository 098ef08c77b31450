import { sql } from 'kysely';
import type { VaultStatus } from '../rules/vault.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db } from '../../platform/database/database.ts';
import { type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { hasType, type ReaderScope, typeName, visibleTo } from './visible-vaults.ts';

/** What a wallet has to do with a vault. */
export interface WalletVault {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly status: VaultStatus;
  readonly createdAt: Instant;
  readonly isAdmin: boolean;
  readonly ftDecimals: number;
  /** Assets in the vault that the wallet added. */
  readonly assets: number;
  /** Lovelace that the wallet has invested and that count. */
  readonly invested: Lovelace;
  /** Base units that the wallet has staked. */
  readonly staked: BaseUnits;
  /** Whether the wallet ever contributed, invested, staked. */
  readonly hasContributed: boolean;
  readonly hasInvested: boolean;
  readonly hasStaked: boolean;
}

interface WalletVaultFilter {
  readonly wallet: string;
  readonly readerScope: ReaderScope;
  /** Only vaults with one of these statuses. */
  readonly statuses: readonly VaultStatus[];
  /** Name of a vault type. */
  readonly type?: string | undefined;
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', name: 'name', status: 'status' } as const;

/** A page of the vaults that a wallet administers or has ever had a deposit or a stake in, newest first, and the total. */
export async function listWalletVaults(
  db: Db,
  { wallet, readerScope, statuses, type }: WalletVaultFilter,
  page: Page<keyof typeof columns>,
): Promise<{ vaults: WalletVault[]; count: PageCount }> {
  const own = sql<string>`(
    select id from vaults where created_by = ${wallet}
    union select vault_id from assets where added_by = ${wallet} and coalesce(release_reason, '') not in ('expired', 'failed')
    union select vault_id from investments where wallet = ${wallet} and status <> 'EXPIRED'
    union select vault_id from stakes where wallet = ${wallet} and release_reason is distinct from 'expired')`;
  const matching = db
    .selectFrom('vaults')
    .where('vaults.id', 'in', own)
    .where('deleted_at', 'is', null)
    .where('status', '=', anyOf(statuses))
    .where(hasType(type))
    .where(visibleTo(readerScope));
  const shown = matching.select([
    'id',
    'name',
    typeName.as('type'),
    'status',
    'created_at',
    'ft_decimals',
    sql<boolean>`created_by = ${wallet}`.as('is_admin'),
    sql<[number, number]>`(select array[count(*) filter (where assets.status = 'LOCKED'), count(*)]::int[] from assets
      where vault_id = vaults.id and added_by = ${wallet} and coalesce(release_reason, '') not in ('expired', 'failed'))`.as(
      'assets',
    ),
    sql<
      [string, string]
    >`(select array[coalesce(sum(lovelace) filter (where investments.status in ('CONFIRMED', 'SETTLED')), 0),
      count(*)]::text[] from investments where vault_id = vaults.id and wallet = ${wallet} and investments.status <> 'EXPIRED')`.as(
      'invested',
    ),
    sql<
      [string, string]
    >`(select array[coalesce(sum(amount) filter (where stakes.status <> 'RELEASED'), 0), count(*)]::text[]
      from stakes where vault_id = vaults.id and wallet = ${wallet} and release_reason is distinct from 'expired')`.as(
      'staked',
    ),
  ]);
  const order = { columns, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(db, shown, matching, order, page);
  return { vaults: rows.map(walletVault), count };
}

interface WalletVaultRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly status: VaultStatus;
  readonly created_at: Date;
  readonly is_admin: boolean;
  readonly ft_decimals: number;
  /** How much is there now, and how many there ever were. */
  readonly assets: readonly [number, number];
  readonly invested: readonly [string, string];
  readonly staked: readonly [string, string];
}

function walletVault(row: WalletVaultRow): WalletVault {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    status: row.status,
    createdAt: instant(row.created_at),
    isAdmin: row.is_admin,
    ftDecimals: row.ft_decimals,
    assets: row.assets[0],
    invested: lovelace(BigInt(row.invested[0])),
    staked: baseUnits(BigInt(row.staked[0])),
    hasContributed: row.assets[1] > 0,
    hasInvested: row.invested[1] !== '0',
    hasStaked: row.staked[1] !== '0',
  };
}
