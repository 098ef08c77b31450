import { baseUnits } from '../platform/units/money.ts';
import { type ChainTransaction, firstFinalAt } from '../transactions/queries/transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import {
  changeStakeStatus,
  linkUnstake,
  setStakeFinal,
  setUnstakeTransaction,
  setUsedPower,
  lockStakeOfTransaction,
  lockStakeReturnedBy,
  type Stake,
} from './queries/stakes.ts';
import { updateStakeUses } from '../votes/queries/voting-powers.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { TransactionEffects } from '../ledger-follower/effects/transaction-effects.ts';
import { publish } from '../events/publish.ts';

/** A stake has power while the transaction that brought it is final (design D24). */
export const stakeEffects: TransactionEffects = {
  async revived(context, transaction) {
    await changeStakeStatus(context, await brought(context, transaction), { status: 'ACTIVE', direction: 'rollback' });
  },
  async confirmed(context, transaction) {
    await publishStake(context, 'STAKE_CONFIRMED', await brought(context, transaction), transaction);
  },
  async final(context, transaction) {
    const stake = await brought(context, transaction);
    // If it is final again after a rollback, it is used by the same votes as before.
    await setStakeFinal(context, stake.id, await firstFinalAt(context.tx, transaction));
    if (stake.status === 'LOCKED') await updateStakeUses(context, [stake.id]);
    await publishStake(context, 'STAKE_FINAL', stake, transaction);
  },
  async rolledBack(context, transaction) {
    const stake = await brought(context, transaction);
    await setStakeFinal(context, stake.id, null);
    await publishStake(context, 'STAKE_ROLLED_BACK', stake, transaction);
  },
  async ended(context, transaction) {
    const stake = await unlocked(context, await brought(context, transaction));
    await changeStakeStatus(context, stake, { status: 'RELEASED', reason: 'expired' });
    await publishStake(context, 'STAKE_EXPIRED', stake, transaction);
  },
};

/** A stake is RELEASED while the transaction that returned it is on the ledger. */
export const unstakeEffects: TransactionEffects = {
  revived: linkUnstake,
  async confirmed(context, transaction) {
    const stake = await returned(context, transaction);
    await changeStakeStatus(context, stake, { status: 'RELEASED', reason: 'unstaked' });
    await publishStake(context, 'STAKE_RELEASED', stake, transaction);
  },
  async rolledBack(context, transaction) {
    const stake = await returned(context, transaction);
    await changeStakeStatus(context, stake, { status: 'ACTIVE', direction: 'rollback' });
    await publishStake(context, 'STAKE_RETURN_ROLLED_BACK', stake, transaction);
  },
  async ended(context, transaction) {
    const stake = await lockStakeReturnedBy(context.tx, transaction.id);
    if (!stake) return;
    await setUnstakeTransaction(context, stake.id, null);
    await publishStake(context, 'STAKE_RETURN_EXPIRED', stake, transaction);
  },
};

function brought({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Stake> {
  return lockStakeOfTransaction(tx, 'stake_transaction_id', id);
}

/** Unlocks a stake that votes use: its transaction can never be confirmed again, so there is nothing to lock. */
async function unlocked(context: TransactionContext, stake: Stake): Promise<Stake> {
  if (stake.status !== 'LOCKED') return stake;
  await setUsedPower(context, stake, { usedPower: baseUnits(0n), lockedUntil: null });
  return { ...stake, status: 'ACTIVE' };
}

function returned({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Stake> {
  return lockStakeOfTransaction(tx, 'unstake_transaction_id', id);
}

async function publishStake(
  context: TransactionContext,
  type: EventTypeLike<'STAKE_CONFIRMED'>,
  { id: stakeId, vaultId, wallet: actor, amount }: Stake,
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const data = { stakeId, amountBaseUnits: amount.toString() };
  await publish(context, { event: { type, vaultId, actor, transactionHash, correlationId, data } });
}
