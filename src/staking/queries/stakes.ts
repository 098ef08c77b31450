import type { Selectable } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { StakeSnapshot } from '../rules/stake.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import type { StakesTable } from '../../platform/database/tables/stakes.ts';
import type { StakeReleaseReason } from '../rules/release-reason.ts';

export interface Stake extends StakeSnapshot {
  readonly vaultId: string;
  /** The largest amount in any one open vote. */
  readonly usedPower: BaseUnits;
  /** Set exactly while it is LOCKED. */
  readonly lockedUntil: Instant | null;
  readonly releaseReason: StakeReleaseReason | null;
  /** The slot from which its owner can spend it alone. */
  readonly releaseSlot: number;
  readonly scriptAddress: string;
  /** Guards it together with its owner. */
  readonly vaultKeyHash: string;
  readonly stakeTransactionId: string;
  readonly unstakeTransactionId: string | null;
  /** Hash of the transaction by which its owner reclaimed it. */
  readonly reclaimHash: string | null;
  readonly updatedAt: Instant;
}

export type NewStake = Pick<
  Stake,
  | 'id'
  | 'vaultId'
  | 'wallet'
  | 'amount'
  | 'stakedAt'
  | 'ownerAloneFrom'
  | 'releaseSlot'
  | 'scriptAddress'
  | 'vaultKeyHash'
  | 'stakeTransactionId'
>;

/** Records a stake. */
export async function insertStake(tx: Transaction, stake: NewStake): Promise<void> {
  await tx
    .insertInto('stakes')
    .values({
      id: stake.id,
      vault_id: stake.vaultId,
      wallet: stake.wallet,
      amount: stake.amount,
      status: 'ACTIVE',
      release_reason: null,
      staked_at: new Date(stake.stakedAt),
      owner_alone_from: new Date(stake.ownerAloneFrom),
      release_slot: BigInt(stake.releaseSlot),
      script_address: stake.scriptAddress,
      vault_key_hash: stake.vaultKeyHash,
      stake_transaction_id: stake.stakeTransactionId,
      unstake_transaction_id: null,
      updated_at: new Date(stake.stakedAt),
    })
    .execute();
}

export async function findStake(db: Db | Transaction, stakeId: string): Promise<Stake | null> {
  const row = await db.selectFrom('stakes').selectAll().where('id', '=', stakeId).executeTakeFirst();
  return row ? readStake(row) : null;
}

/** Locks these stakes in the order of their ids, so that transactions do not deadlock. */
export async function lockStakes(tx: Transaction, stakeIds: readonly string[]): Promise<Stake[]> {
  if (stakeIds.length === 0) return [];
  const query = tx.selectFrom('stakes').selectAll().where('id', '=', anyOf(stakeIds)).orderBy('id').forUpdate();
  return (await query.execute()).map(readStake);
}

/** Locks the stake that this transaction brings to its script, or returns from it. Throws when there is none. */
export async function lockStakeOfTransaction(
  tx: Transaction,
  column: 'stake_transaction_id' | 'unstake_transaction_id',
  transactionId: string,
): Promise<Stake> {
  const query = tx.selectFrom('stakes').selectAll().where(column, '=', transactionId).forUpdate();
  return readStake(await query.executeTakeFirstOrThrow());
}

/** Locks the stake that a transaction returns; null when another transaction returns it by now. */
export async function lockStakeReturnedBy(tx: Transaction, transactionId: string): Promise<Stake | null> {
  const query = tx.selectFrom('stakes').selectAll().where('unstake_transaction_id', '=', transactionId);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readStake(row) : null;
}

export type StakeRow = Selectable<StakesTable>;

/** Reads a row of this table. Throws UnreadableRow. */
export function readStake(row: StakeRow): Stake {
  const status = row.status;
  return decodeRow('stakes', row.id, () => ({
    id: row.id,
    vaultId: row.vault_id,
    wallet: row.wallet,
    amount: baseUnits(BigInt(row.amount)),
    status,
    stakedAt: instant(row.staked_at),
    finalAt: row.final_at === null ? null : instant(row.final_at),
    ownerAloneFrom: instant(row.owner_alone_from),
    leaving: status !== 'RELEASED' && row.unstake_transaction_id !== null,
    usedPower: baseUnits(BigInt(row.used_power)),
    lockedUntil: row.locked_until === null ? null : instant(row.locked_until),
    releaseReason: row.release_reason,
    releaseSlot: Number(row.release_slot),
    scriptAddress: row.script_address,
    vaultKeyHash: row.vault_key_hash,
    stakeTransactionId: row.stake_transaction_id,
    unstakeTransactionId: row.unstake_transaction_id,
    reclaimHash: row.reclaim_hash,
    updatedAt: instant(row.updated_at),
  }));
}

/** The stake that a transaction brings to its script, or returns from it; null when there is none. */
export async function findStakeOfTransaction(
  db: Db,
  column: 'stake_transaction_id' | 'unstake_transaction_id',
  transactionId: string,
): Promise<Stake | null> {
  const row = await db.selectFrom('stakes').selectAll().where(column, '=', transactionId).executeTakeFirst();
  return row ? readStake(row) : null;
}
