import { type Selectable, sql } from 'kysely';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { decodeRow } from '../../platform/database/decode-rows.ts';
import type { StakesTable } from '../../platform/database/tables/governance.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Direction } from '../../platform/states.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { type StakeSnapshot, type StakeReleaseReason, stakeTransition } from '../rules.ts';
import { type ChainTransaction, isFirstOutput, makersOf } from '../../transactions/queries/transactions.ts';
import type { UtxoRef } from '../../transactions/rules.ts';

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

type NewStake = Pick<
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

/** Reads a row of this table. */
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

/**
 * Sets how much of a locked stake open votes use and until when; null when no vote uses it. The schema refuses more than its
 * voting power. Throws INVALID_TRANSITION for a released stake.
 */
export async function setUsedPower(
  { tx, now }: TransactionContext,
  stake: Pick<Stake, 'id' | 'status' | 'finalAt'>,
  { usedPower, lockedUntil }: Pick<Stake, 'usedPower' | 'lockedUntil'>,
): Promise<void> {
  const wanted = lockedUntil === null ? 'ACTIVE' : 'LOCKED';
  const status = wanted === stake.status ? wanted : stakeTransition(stake.status, wanted);
  await tx
    .updateTable('stakes')
    .set({
      status,
      // A stake whose block was rolled back has no voting power until it is final again.
      used_power: stake.finalAt === null ? 0n : usedPower,
      locked_until: lockedUntil === null ? null : new Date(lockedUntil),
      updated_at: new Date(now),
    })
    .where('id', '=', stake.id)
    .execute();
}

interface StakeChange {
  readonly status: 'ACTIVE' | 'RELEASED';
  readonly reason?: StakeReleaseReason;
  readonly reclaimHash?: string;
  readonly direction?: Direction;
}

/** Moves a stake to another status. */
export async function changeStakeStatus(
  { tx, now }: TransactionContext,
  stake: Stake,
  { status, reason, reclaimHash, direction }: StakeChange,
): Promise<void> {
  await tx
    .updateTable('stakes')
    .set({
      status: stakeTransition(stake.status, status, direction),
      release_reason: reason ?? null,
      reclaim_hash: reclaimHash ?? null,
      updated_at: new Date(now),
    })
    .where('id', '=', stake.id)
    .execute();
}

/** Makes a stake final, which gives it voting power, or takes both back; it stays locked. */
export async function setStakeFinal(
  { tx, now }: TransactionContext,
  stakeId: string,
  finalAt: Instant | null,
): Promise<void> {
  await tx
    .updateTable('stakes')
    .set({
      final_at: finalAt === null ? null : new Date(finalAt),
      ...(finalAt === null && { used_power: 0n }),
      updated_at: new Date(now),
    })
    .where('id', '=', stakeId)
    .execute();
}

/** Links a stake to the transaction that returns it; null unlinks one that can no longer reach the ledger. */
export async function setUnstakeTransaction(
  { tx, now }: TransactionContext,
  stakeId: string,
  transactionId: string | null,
): Promise<void> {
  await tx
    .updateTable('stakes')
    .set({
      unstake_transaction_id: transactionId,
      ...(transactionId === null && { held_again_at: new Date(now) }),
      updated_at: new Date(now),
    })
    .where('id', '=', stakeId)
    .execute();
}

/** Links the stake that a transaction spends to that transaction, which returns it. */
export async function linkUnstake(
  { tx, now }: TransactionContext,
  { id, inputs }: Pick<ChainTransaction, 'id' | 'inputs'>,
): Promise<void> {
  await tx
    .updateTable('stakes')
    .set({ unstake_transaction_id: id, updated_at: new Date(now) })
    .where('stake_transaction_id', 'in', makersOf(tx, inputs.filter(isFirstOutput)))
    .execute();
}

/** Where a wallet may have stakes in a vault. */
interface StakeAddresses {
  readonly vaultId: string;
  readonly wallet: string;
  readonly addresses: readonly string[];
}

/** The outputs with the stakes of a wallet that still have power, where a followed block has brought them to one of the addresses. */
export async function confirmedStakesAt(db: Db, { vaultId, wallet, addresses }: StakeAddresses): Promise<UtxoRef[]> {
  if (addresses.length === 0) return [];
  const rows = await db
    .selectFrom('stakes')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .select('brought.hash')
    .where('stakes.vault_id', '=', vaultId)
    .where('stakes.wallet', '=', wallet)
    .where(sql<boolean>`stakes.voting_power > 0`)
    .where('brought.state', 'in', ['confirmed', 'final'])
    .where(sql<string>`brought.outputs -> 0 ->> 'address'`, 'in', addresses)
    .execute();
  return rows.map(({ hash }) => ({ txHash: hash, index: 0 }));
}
