import { type Selectable, sql } from 'kysely';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import { type StakeSnapshot, type StakeStatus, stakeTransition } from '../domain/stake/stake.ts';
import type { Direction } from '../domain/transitions.ts';
import type { Db, Transaction } from './database.ts';
import type { StakesTable } from './tables/stakes.ts';

/** Why a stake is no longer in its script: it went back, it never arrived, or its owner took it back alone. */
export const releaseReasons = ['unstaked', 'expired', 'reclaimed'] as const;
export type ReleaseReason = (typeof releaseReasons)[number];

export interface Stake extends StakeSnapshot {
  readonly vaultId: string;
  /** The largest amount in any one open vote. */
  readonly usedPower: BaseUnits;
  /** Set exactly while it is LOCKED. */
  readonly lockedUntil: Instant | null;
  readonly releaseReason: ReleaseReason | null;
  /** The slot from which its script lets the owner alone. */
  readonly releaseSlot: number;
  readonly scriptAddress: string;
  readonly stakeTransactionId: string;
  readonly unstakeTransactionId: string | null;
  /** Of its owner's own transaction that took it back. */
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
  | 'stakeTransactionId'
>;

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

/** These stakes, kept from every change by others until the transaction ends; in the order of their ids, so that nobody deadlocks. */
export async function lockStakes(tx: Transaction, stakeIds: readonly string[]): Promise<Stake[]> {
  if (stakeIds.length === 0) return [];
  const query = tx.selectFrom('stakes').selectAll().where('id', 'in', stakeIds).orderBy('id').forUpdate();
  return (await query.execute()).map(readStake);
}

/** The stake that this transaction brought to its script, or takes from it; kept until the transaction ends. */
export async function lockStakeOf(
  tx: Transaction,
  column: 'stake_transaction_id' | 'unstake_transaction_id',
  transactionId: string,
): Promise<Stake> {
  const query = tx.selectFrom('stakes').selectAll().where(column, '=', transactionId).forUpdate();
  return readStake(await query.executeTakeFirstOrThrow());
}

/** Stakes with voting power in a vault, of one wallet or of all, oldest first. */
export async function powerfulStakes(db: Db | Transaction, vaultId: string, wallet?: string): Promise<Stake[]> {
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

/**
 * Says how much of a locked row's stake open votes use and until when, null for no longer. The schema refuses more than its
 * voting power. Throws INVALID_TRANSITION for a released stake: one whose transaction never came back after a rollback.
 */
export async function setUsedPower(
  tx: Transaction,
  stake: Pick<Stake, 'id' | 'status' | 'finalAt'>,
  { usedPower, lockedUntil }: Pick<Stake, 'usedPower' | 'lockedUntil'>,
  now: Instant,
): Promise<void> {
  const wanted = lockedUntil === null ? 'ACTIVE' : 'LOCKED';
  const status = wanted === stake.status ? wanted : stakeTransition(stake.status, wanted);
  await tx
    .updateTable('stakes')
    .set({
      status,
      // A stake whose block was rolled back has no power to lend until it is final again.
      used_power: stake.finalAt === null ? 0n : usedPower,
      locked_until: lockedUntil === null ? null : new Date(lockedUntil),
      updated_at: new Date(now),
    })
    .where('id', '=', stake.id)
    .execute();
}

interface StakeChange {
  readonly status: 'ACTIVE' | 'RELEASED';
  readonly reason?: ReleaseReason;
  readonly reclaimHash?: string;
  readonly direction?: Direction;
}

/** Moves a stake to another status; throws INVALID_TRANSITION. */
export async function changeStakeStatus(
  tx: Transaction,
  stake: Stake,
  { status, reason, reclaimHash, direction }: StakeChange,
  now: Instant,
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

/** Gives a stake its power, or takes it away with all use of it; what has locked it still does. */
export async function setStakeFinal(
  tx: Transaction,
  stakeId: string,
  finalAt: Instant | null,
  now: Instant,
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

/** Ties a stake to the transaction that takes it back; null when that can no longer land. */
export async function setUnstake(
  tx: Transaction,
  stakeId: string,
  transactionId: string | null,
  now: Instant,
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

export function readStake(row: Selectable<StakesTable>): Stake {
  const status = row.status as StakeStatus;
  return {
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
    releaseReason: row.release_reason as ReleaseReason | null,
    releaseSlot: Number(row.release_slot),
    scriptAddress: row.script_address,
    stakeTransactionId: row.stake_transaction_id,
    unstakeTransactionId: row.unstake_transaction_id,
    reclaimHash: row.reclaim_hash,
    updatedAt: instant(row.updated_at),
  };
}
