import { sql } from 'kysely';
import type { EventType } from '../../events/queries/event-types.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db } from '../../platform/database/database.ts';
import { type Page, type PageCount, readPage, givenFields } from '../../platform/database/page.ts';
import type { StoredTally } from '../../platform/database/tables/governance.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { findValuedVault, type ValuedVault } from '../../prices/queries/valuations.ts';
import { hasType, type ReaderScope, typeName, visibleTo, isVaultVisible } from './viewed-vaults.ts';
import type { VaultStatus, Turnout } from '../rules/vault.ts';

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

/** An event of a vault as its activity shows it. */
interface Activity {
  readonly type: EventType;
  readonly at: Instant;
  /** The wallet that acted, or `platform`. */
  readonly actor: string;
  readonly data: object;
  readonly transactionHash: string | null;
}

interface ActivityFilter {
  readonly vaultId: string;
  /** Undefined: of every type. */
  readonly types: readonly EventType[] | undefined;
  readonly actor?: string | undefined;
}

/** A page of the events of a vault, and the total; null when the vault is hidden from the reader. */
export async function listActivity(
  db: Db,
  { vaultId, types, actor }: ActivityFilter,
  scope: ReaderScope,
  page: Page<'timestamp'>,
): Promise<{ activities: Activity[]; count: PageCount } | null> {
  const ofVault = db
    .selectFrom('outbox')
    .where('vault_id', '=', vaultId)
    .where((eb) => eb.and(givenFields({ actor })));
  const matching = types === undefined ? ofVault : ofVault.where('type', 'in', types);
  const order = { columns: { timestamp: 'occurred_at' }, tieBreak: ['id'], tieBreakFollowsSort: true };
  const collection = { ...order, visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, matching.selectAll(), matching, collection, page);
  const activities = rows.map((row) => ({
    type: row.type,
    at: instant(row.occurred_at),
    actor: row.actor,
    data: row.data,
    transactionHash: row.transaction_hash,
  }));
  return isVisible ? { activities, count } : null;
}

/** How much wallets have taken part in the governance of a vault. */
interface Participation {
  /** Of all proposals; a wallet whose votes are all revoked is none. */
  readonly uniqueVoters: number;
  readonly proposals: number;
  /** Of the closed votes. */
  readonly turnouts: readonly Turnout[];
}

/** A vault with what its metrics depend on. */
export interface MeasuredVault extends ValuedVault {
  readonly createdAt: Instant;
  readonly participation: Participation;
  /** Lovelace, at its price then and in full, of what was locked first; null before. */
  readonly firstLockedValue: Lovelace | null;
}

/** A vault that the reader may see, with what its metrics depend on; null for one that is deleted or hidden. */
export async function findMeasuredVault(db: Db, vaultId: string, scope: ReaderScope): Promise<MeasuredVault | null> {
  const valued = await findValuedVault(db, vaultId, scope);
  if (!valued) return null;
  const measured = await db
    .selectFrom('vaults')
    .select(['created_at', firstLockedValue.as('first_locked_value'), uniqueVoters.as('unique_voters')])
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  const { first_locked_value: firstLocked } = measured;
  const proposals = await db.selectFrom('proposals').select('final_tally').where('vault_id', '=', vaultId).execute();
  return {
    ...valued,
    createdAt: instant(measured.created_at),
    participation: {
      uniqueVoters: Number(measured.unique_voters),
      proposals: proposals.length,
      turnouts: proposals.flatMap(({ final_tally: tally }) => (tally === null ? [] : [turnoutOf(tally)])),
    },
    firstLockedValue: firstLocked === null ? null : lovelace(BigInt(firstLocked)),
  };
}

const firstLockedValue = sql<string | null>`(
  select sum(div(quantity * price, power(10::numeric, decimals)))::text from assets
  where vault_id = vaults.id and assets.locked_at = (select min(assets.locked_at) from assets where vault_id = vaults.id))`;

const uniqueVoters = sql<string>`(
  select count(distinct wallet) from votes join proposals on proposals.id = votes.proposal_id
  where proposals.vault_id = vaults.id and votes.revoked_at is null)`;

function turnoutOf({ approve, reject, quorumBase }: StoredTally): Turnout {
  return { voted: BigInt(approve) + BigInt(reject), eligible: BigInt(quorumBase) };
}
