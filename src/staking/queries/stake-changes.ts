import type { Instant } from '../../platform/units/instant.ts';
import { stakeTransition } from '../rules/stake.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import type { StakeReleaseReason } from '../rules/release-reason.ts';
import { type ChainTransaction, isFirstOutput, makersOf } from '../../transactions/queries/chain-transactions.ts';
import type { Stake } from './stakes.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

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

/** Moves a stake to another status; throws INVALID_TRANSITION. */
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
