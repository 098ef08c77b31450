import { type ExpressionBuilder, sql, type RawBuilder } from 'kysely';
import { anyOf } from '../../platform/database/statements.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits, type BasisPoints } from '../../platform/units/money.ts';
import {
  proposalPower,
  type ProposalPower,
  readProposalPower,
  type VaultPower,
} from '../../proposals/queries/participation.ts';
import { readStake, type Stake } from './stakes.ts';
import type { StakeStatus } from '../rules.ts';
import type { UtxoRef } from '../../transactions/rules.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { isVaultVisible, type ReaderScope, visibleTo } from '../../vaults/queries/viewed-vaults.ts';
import { governingSupply } from '../../vaults/rules/vault.ts';

/** A stake with the fields of other tables that a response needs. */
export interface ListedStake {
  readonly stake: Stake;
  readonly ftDecimals: number;
  /** The key of the vault in its script. */
  readonly vaultKeyHash: string;
  readonly stakeHash: string;
  /** Hash of the transaction that returns it, or by which its owner reclaimed it; null while there is none. */
  readonly unstakeHash: string | null;
}

export interface StakeFilter {
  readonly vaultId: string;
  readonly wallet?: string | undefined;
  readonly status?: StakeStatus | undefined;
}

const columns = { createdAt: 'stakes.staked_at', amount: 'stakes.amount', status: 'stakes.status' } as const;

/**
 * A page of a vault's stakes, and the total; without a status filter, stakes that never reached their script are left out. Null when
 * the vault is hidden from the reader.
 */
export async function listStakes(
  db: Db,
  { vaultId, wallet, status }: StakeFilter,
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ stakes: ListedStake[]; count: PageCount } | null> {
  const isWanted = (eb: ExpressionBuilder<Database, 'stakes'>) =>
    eb.and([
      eb('stakes.vault_id', '=', vaultId),
      ...(wallet === undefined ? [] : [eb('stakes.wallet', '=', wallet)]),
      status === undefined
        ? sql<boolean>`stakes.release_reason is distinct from 'expired'`
        : eb('stakes.status', '=', status),
    ]);
  const matching = db.selectFrom('stakes').where(isWanted);
  const tieBreak = ['stakes.staked_at', 'stakes.id'];
  const collection = { columns, tieBreak, visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, withHashes(db).where(isWanted), matching, collection, page);
  return isVisible ? { stakes: rows.map(listed), count } : null;
}

/** One stake with what a response needs; null when there is none in a vault that the reader may see. */
export async function findListedStake(db: Db, stakeId: string, scope: ReaderScope): Promise<ListedStake | null> {
  const wanted = withHashes(db).where('stakes.id', '=', stakeId);
  const row = await wanted.where(isVaultVisible(sql.ref('stakes.vault_id'), scope)).executeTakeFirst();
  return row ? listed(row) : null;
}

/** One stake with what a response needs. Throws when there is none. */
export async function getListedStake(db: Db | Transaction, stakeId: string): Promise<ListedStake> {
  return listed(await withHashes(db).where('stakes.id', '=', stakeId).executeTakeFirstOrThrow());
}

function withHashes(db: Db | Transaction) {
  return db
    .selectFrom('stakes')
    .innerJoin('vaults', 'vaults.id', 'stakes.vault_id')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .leftJoin('chain_transactions as returned', 'returned.id', 'stakes.unstake_transaction_id')
    .selectAll('stakes')
    .select([
      'vaults.ft_decimals',
      'stakes.vault_key_hash as guarding_key_hash',
      'brought.hash as stake_hash',
      'returned.hash as unstake_hash',
    ]);
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof withHashes>['executeTakeFirstOrThrow']>>;

function listed(row: ListedRow): ListedStake {
  const {
    ft_decimals: ftDecimals,
    guarding_key_hash: vaultKeyHash,
    stake_hash: stakeHash,
    unstake_hash: returnHash,
  } = row;
  return { stake: readStake(row), ftDecimals, vaultKeyHash, stakeHash, unstakeHash: returnHash ?? row.reclaim_hash };
}

/** The stakes with voting power in a vault, of one wallet or of all, oldest first. */
export async function stakesWithPower(db: Db | Transaction, vaultId: string, wallet?: string): Promise<Stake[]> {
  const rows = await db
    .selectFrom('stakes')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where(sql<boolean>`voting_power > 0`)
    .$if(wallet !== undefined, (query) => query.where('wallet', '=', wallet ?? ''))
    .orderBy('staked_at')
    .orderBy('id')
    .execute();
  return rows.map(readStake);
}

/** The base units that a wallet has staked in a vault and that are not back. */
export async function stakedBy(db: Db | Transaction, vaultId: string, wallet: string): Promise<BaseUnits> {
  const row = await db
    .selectFrom('stakes')
    .select(({ fn }) => fn.coalesce(fn.sum<string>('amount'), sql<string>`0`).as('staked'))
    .where('vault_id', '=', vaultId)
    .where('wallet', '=', wallet)
    .where('status', '<>', 'RELEASED')
    .executeTakeFirstOrThrow();
  return baseUnits(BigInt(row.staked));
}

/** The output that holds a stake. */
export interface StakeOutput extends UtxoRef {
  readonly stakeId: string;
  readonly address: string;
}

/** The outputs of the stakes at these addresses that no vote uses and that their owners can take back alone at `now` (design D24). */
export async function stakesOwnersMayTake(
  db: Db,
  vaultId: string,
  addresses: readonly string[],
  now: Instant,
): Promise<StakeOutput[]> {
  const rows = await db
    .selectFrom('stakes')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'stakes.stake_transaction_id')
    .select(['stakes.id', 'stakes.script_address', 'chain_transactions.hash'])
    .where('stakes.vault_id', '=', vaultId)
    .where('stakes.script_address', '=', anyOf(addresses))
    .where('stakes.owner_alone_from', '<=', new Date(now))
    .where('stakes.status', '=', 'ACTIVE')
    .where(sql<boolean>`stakes.voting_power > 0`)
    .orderBy('stakes.id')
    .execute();
  return rows.map(({ id, script_address: address, hash }) => ({ stakeId: id, address, txHash: hash, index: 0 }));
}

interface PowerFilter {
  readonly wallet: string;
  readonly readerScope: ReaderScope;
  /** Restricts the powers to the vault of this proposal. */
  readonly proposalId?: string | undefined;
}

export interface ListedPowers {
  readonly powers: readonly VaultPower[];
  /** The number of vaults on all pages. */
  readonly count: PageCount;
  /** Null unless a proposal is named, and there is one in a vault that the reader may see. */
  readonly inProposal: ProposalPower | null;
}

const powerColumns = { createdAt: 'vaults.created_at' } as const;

/**
 * A page of a wallet's voting powers by vault, in the order of the vaults, in the vaults that `readerScope` includes, or in that of a
 * proposal; the total, and the power in the proposal.
 */
export async function listPowers(
  db: Db,
  { wallet, readerScope, proposalId }: PowerFilter,
  page: Page<keyof typeof powerColumns>,
): Promise<ListedPowers> {
  const held = heldStakes(db, wallet);
  const matching = held
    .$if(proposalId !== undefined, (query) =>
      query.where('vaults.id', '=', sql<string>`(select vault_id from proposals where id = ${proposalId})`),
    )
    .where('vaults.id', 'in', (query) => query.selectFrom('vaults').select('id').where(visibleTo(readerScope)));
  const grouped = matching
    .select(({ fn }) => [
      'vaults.id',
      'vaults.ft_decimals',
      fn.sum<string>('stakes.amount').as('staked'),
      fn.sum<string>('stakes.voting_power').as('voting_power'),
      fn.sum<string>('stakes.used_power').as('used_power'),
    ])
    .groupBy('vaults.id');
  const vaults = db.selectFrom(matching.select('vaults.id').distinct().as('vault'));
  const staked = held
    .where('vaults.id', '=', sql.ref<string>('proposals.vault_id'))
    .select(({ fn }) => fn.sum<string>('stakes.amount').as('staked'));
  const of = proposalId === undefined ? sql<null>`null` : proposalPower({ wallet, readerScope, proposalId, staked });
  const collection = { columns: powerColumns, tieBreak: ['vaults.id'], of };
  const { rows, count, of: inProposal } = await readPage(db, grouped, vaults, collection, page);
  const powers = rows.map((row) => ({
    vaultId: row.id,
    ftDecimals: row.ft_decimals,
    staked: baseUnits(BigInt(row.staked)),
    votingPower: baseUnits(BigInt(row.voting_power)),
    usedPower: baseUnits(BigInt(row.used_power)),
  }));
  return { powers, count, inProposal: inProposal && readProposalPower(inProposal) };
}

/** The stakes of a wallet that are in their scripts, or on the way there, with their vaults. */
function heldStakes(db: Db, wallet: string) {
  return (
    db
      .selectFrom('vaults')
      .innerJoin('stakes', 'stakes.vault_id', 'vaults.id')
      .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
      .where('stakes.wallet', '=', wallet)
      .where('stakes.status', '!=', 'RELEASED')
      // A withdrawn transaction leaves the tokens with the wallet, which may stake them again.
      .where((eb) => eb.or([eb('brought.state', '!=', 'awaiting_signatures'), eb('brought.error', 'is', null)]))
  );
}

/** A minimum share of the supply. */
interface Share {
  readonly threshold: BasisPoints;
  readonly supply: BaseUnits;
}

/** The platform signs every execution, so it cosigns none. */
const isNotPlatform = (wallet: string) => sql`${sql.ref(wallet)} not in (select operator_address from platform)`;

/** Some of the wallets that have staked at least a share of the supply. */
export async function stakersAbove(
  tx: Transaction,
  vaultId: string,
  { threshold, supply, limit }: Share & { readonly limit: number },
  now: Instant,
): Promise<string[]> {
  const share = { threshold: sql`${threshold}::numeric`, supply: sql`${supply}::numeric` };
  const { rows } = await sql<{ wallet: string }>`
    ${stakersWith(sql`${vaultId}`, share, now)} order by power desc, wallet limit ${limit}`.execute(tx);
  return rows.map(({ wallet }) => wallet);
}

/** The wallets that have staked at least a share of the supply in a vault, and their power, counted as `stakedPower` counts. */
export function stakersWith(
  vaultId: RawBuilder<unknown>,
  { threshold, supply }: Readonly<Record<keyof Share, RawBuilder<unknown>>>,
  now: Instant,
): RawBuilder<unknown> {
  return sql`select wallet, sum(voting_power) as power from stakes
    where vault_id = ${vaultId} and voting_power > 0 and owner_alone_from > ${new Date(now)} and ${isNotPlatform('wallet')}
    group by wallet having sum(voting_power) * 10000 >= ${threshold} * ${supply}`;
}

/**
 * Some of the wallets that have voted on a proposal with stakes of at least a share of the supply; what a vote leaves unused of a
 * stake counts too.
 */
export async function votersAbove(
  tx: Transaction,
  proposalId: string,
  { threshold, supply, limit }: Share & { readonly limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ wallet: string }>`
    select s.wallet from votes v join vote_stakes u on u.vote_id = v.id join stakes s on s.id = u.stake_id
    where v.proposal_id = ${proposalId} and v.revoked_at is null and s.voting_power > 0 and ${isNotPlatform('s.wallet')}
    group by s.wallet having sum(s.amount) * 10000 >= ${threshold}::numeric * ${supply}::numeric
    limit ${limit}
  `.execute(tx);
  return rows.map(({ wallet }) => wallet);
}

/** The tokens of each vault that holders have, in base units. */
export async function circulatingSupplies(
  db: Db | Transaction,
  vaultIds: readonly string[],
): Promise<ReadonlyMap<string, BaseUnits>> {
  if (vaultIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; circulating: string }>`
    select asked.id, ${circulatingSupply(sql.ref('asked.id'))} as circulating
    from unnest(${[...new Set(vaultIds)]}::uuid[]) as asked (id)
  `.execute(db);
  return new Map(rows.map(({ id, circulating }) => [id, baseUnits(BigInt(circulating))]));
}

/** The tokens of which shares count that holders of a vault need. */
export async function governingSupplyOf(
  db: Db | Transaction,
  vault: Pick<Vault, 'id' | 'claimsOpen' | 'terms'>,
): Promise<BaseUnits> {
  const supplies = await circulatingSupplies(db, vault.claimsOpen ? [vault.id] : []);
  return governingSupply(vault, supplies.get(vault.id) ?? null);
}

/** As `governingSupply` of the domain, of a row of `vaults`. */
export const governingSupplyOfRow = sql<string>`case when vaults.claims_open
  then coalesce(nullif(${circulatingSupply(sql.ref('vaults.id'))}, 0), vaults.ft_supply) else vaults.ft_supply end`;

/**
 * The tokens that holders have of the vault whose id is in this column: the supply without what its settlement gave to the liquidity
 * address, and without what it kept in custody for deposits that their owners had reclaimed.
 */
export function circulatingSupply(vaultId: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`coalesce((select t.circulating from terminations t
    where t.vault_id = ${vaultId} and t.claims_opened_at is not null), (select v.ft_supply - coalesce((s.distribution ->> 'lpFt')::numeric, 0) - coalesce((
      select sum(e.ft) from entitlements e
        left join assets a on a.id = e.deposit_id
        left join investments i on i.id = e.deposit_id
      where e.vault_id = v.id and 'reclaimed' in (a.release_reason, i.release_reason)
    ), 0) from vaults v left join settlements s on s.vault_id = v.id where v.id = ${vaultId}))`;
}
