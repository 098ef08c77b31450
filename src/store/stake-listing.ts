import { type ExpressionBuilder, sql } from 'kysely';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { StakeStatus } from '../domain/stake/stake.ts';
import type { Database, Db, Transaction } from './database.ts';
import { type Page, pageOfRows } from './page.ts';
import { readStake, type Stake } from './stakes.ts';
import { visibleTo, type ReaderScope } from './vault-listing.ts';

/** A stake with what it takes to show it. */
export interface ListedStake {
  readonly stake: Stake;
  readonly ftDecimals: number;
  readonly stakeHash: string;
  /** Of the transaction that takes it back, its owner's own among them, while there is one. */
  readonly unstakeHash: string | null;
}

export interface StakeFilter {
  readonly vaultId: string;
  readonly wallet?: string | undefined;
  readonly status?: StakeStatus | undefined;
}

const columns = { createdAt: 'stakes.staked_at', amount: 'stakes.amount', status: 'stakes.status' } as const;

/** A page of a vault's stakes and how many there are in all; without a status those that never reached their script are left out. */
export async function listStakes(
  db: Db,
  { vaultId, wallet, status }: StakeFilter,
  page: Page<keyof typeof columns>,
): Promise<{ stakes: ListedStake[]; total: number }> {
  const isWanted = (eb: ExpressionBuilder<Database, 'stakes'>) =>
    eb.and([
      eb('stakes.vault_id', '=', vaultId),
      ...(wallet === undefined ? [] : [eb('stakes.wallet', '=', wallet)]),
      status === undefined
        ? sql<boolean>`stakes.release_reason is distinct from 'expired'`
        : eb('stakes.status', '=', status),
    ]);
  const ordered = withHashes(db)
    .where(isWanted)
    .orderBy(columns[page.sort.field], page.sort.direction)
    .orderBy('stakes.staked_at')
    .orderBy('stakes.id');
  const { rows, total } = await pageOfRows(ordered, db.selectFrom('stakes').where(isWanted), page);
  return { stakes: rows.map(listed), total };
}

/** One stake as it is shown; its absence is a bug of the caller. */
export async function getListedStake(db: Db | Transaction, stakeId: string): Promise<ListedStake> {
  return listed(await withHashes(db).where('stakes.id', '=', stakeId).executeTakeFirstOrThrow());
}

/** What a wallet has staked in one vault, and what of it counts at present. */
export interface VaultPower {
  readonly vaultId: string;
  readonly ftDecimals: number;
  /** Not back with the wallet: in its script, or on the way to it. */
  readonly staked: BaseUnits;
  readonly votingPower: BaseUnits;
  readonly usedPower: BaseUnits;
}

export interface PowerFilter {
  readonly wallet: string;
  readonly listener: ReaderScope;
  readonly vaultId?: string;
}

/** A page of a wallet's powers by vault, newest vault first, in the vaults that `listener` is shown, or in one of them; and how many there are. */
export async function listPowers(
  db: Db,
  { wallet, listener, vaultId }: PowerFilter,
  { limit, offset }: Pick<Page<string>, 'limit' | 'offset'>,
): Promise<{ powers: VaultPower[]; total: number }> {
  const matching = db
    .selectFrom('vaults')
    .innerJoin('stakes', 'stakes.vault_id', 'vaults.id')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .where('stakes.wallet', '=', wallet)
    .where('stakes.status', '!=', 'RELEASED')
    // What was withdrawn is with its wallet, and may be staked anew.
    .where((eb) => eb.or([eb('brought.state', '!=', 'awaiting_signatures'), eb('brought.error', 'is', null)]))
    .$if(vaultId !== undefined, (query) => query.where('vaults.id', '=', vaultId ?? ''))
    .where('vaults.id', 'in', (query) => query.selectFrom('vaults').select('id').where(visibleTo(listener)));
  const [rows, { total }] = await Promise.all([
    matching
      .select(({ fn }) => [
        'vaults.id',
        'vaults.ft_decimals',
        fn.sum<string>('stakes.amount').as('staked'),
        fn.sum<string>('stakes.voting_power').as('voting_power'),
        fn.sum<string>('stakes.used_power').as('used_power'),
      ])
      .groupBy('vaults.id')
      .orderBy('vaults.created_at', 'desc')
      .orderBy('vaults.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    matching.select(({ fn }) => fn.count<string>('vaults.id').distinct().as('total')).executeTakeFirstOrThrow(),
  ]);
  const powers = rows.map((row) => ({
    vaultId: row.id,
    ftDecimals: row.ft_decimals,
    staked: baseUnits(BigInt(row.staked)),
    votingPower: baseUnits(BigInt(row.voting_power)),
    usedPower: baseUnits(BigInt(row.used_power)),
  }));
  return { powers, total: Number(total) };
}

function withHashes(db: Db | Transaction) {
  return db
    .selectFrom('stakes')
    .innerJoin('vaults', 'vaults.id', 'stakes.vault_id')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .leftJoin('chain_transactions as returned', 'returned.id', 'stakes.unstake_transaction_id')
    .selectAll('stakes')
    .select(['vaults.ft_decimals', 'brought.hash as stake_hash', 'returned.hash as unstake_hash']);
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof withHashes>['executeTakeFirstOrThrow']>>;

function listed(row: ListedRow): ListedStake {
  const { ft_decimals: ftDecimals, stake_hash: stakeHash, unstake_hash: unstakeHash } = row;
  return { stake: readStake(row), ftDecimals, stakeHash, unstakeHash: unstakeHash ?? row.reclaim_hash };
}
