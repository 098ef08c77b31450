import { type ExpressionBuilder, sql } from 'kysely';
import type { StakeStatus } from '../rules/stake.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';
import { readStake, type Stake } from './stakes.ts';

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
  const wanted = withHashes(db).modifyFront(prepared).where('stakes.id', '=', stakeId);
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
