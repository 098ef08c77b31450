import { baseUnits } from '../../domain/units/money.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Consequences } from './consequences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvent } from '../../store/events.ts';
import { updateStakeUses } from '../../store/stake-uses.ts';
import { changeStakeStatus, setStakeFinal, setUnstakeTransaction, setUsedPower } from '../../store/stake-changes.ts';
import { lockStakeOfTransaction, type Stake } from '../../store/stakes.ts';
import { firstFinalAt } from '../../store/transaction-history.ts';

/** A stake has power while the transaction that brought it is final (design D24). */
export const stakeConsequences: Consequences = {
  async confirmed(scene, transaction) {
    await tellStake(scene, 'STAKE_CONFIRMED', await brought(scene, transaction), transaction);
  },
  async final(scene, transaction) {
    const stake = await brought(scene, transaction);
    // Final again after a rollback, it has its part in the votes that it had before; some that it carries may still stand.
    await setStakeFinal(scene.tx, stake.id, await firstFinalAt(scene.tx, transaction), scene.now);
    if (stake.status === 'LOCKED') await updateStakeUses(scene.tx, [stake.id], scene.now);
    await tellStake(scene, 'STAKE_FINAL', stake, transaction);
  },
  async rolledBack(scene, transaction) {
    const stake = await brought(scene, transaction);
    await setStakeFinal(scene.tx, stake.id, null, scene.now);
    await tellStake(scene, 'STAKE_ROLLED_BACK', stake, transaction);
  },
  async ended(scene, transaction) {
    const stake = await unlocked(scene, await brought(scene, transaction));
    await changeStakeStatus(scene.tx, stake, { status: 'RELEASED', reason: 'expired' }, scene.now);
    await tellStake(scene, 'STAKE_EXPIRED', stake, transaction);
  },
};

/** A stake is RELEASED while the transaction that returned it is on the ledger. */
export const unstakeConsequences: Consequences = {
  async confirmed(scene, transaction) {
    const stake = await returned(scene, transaction);
    await changeStakeStatus(scene.tx, stake, { status: 'RELEASED', reason: 'unstaked' }, scene.now);
    await tellStake(scene, 'STAKE_RELEASED', stake, transaction);
  },
  async rolledBack(scene, transaction) {
    const stake = await returned(scene, transaction);
    await changeStakeStatus(scene.tx, stake, { status: 'ACTIVE', direction: 'rollback' }, scene.now);
    await tellStake(scene, 'STAKE_RETURN_ROLLED_BACK', stake, transaction);
  },
  async ended(scene, transaction) {
    const stake = await returned(scene, transaction);
    await setUnstakeTransaction(scene.tx, stake.id, null, scene.now);
    await tellStake(scene, 'STAKE_RETURN_EXPIRED', stake, transaction);
  },
};

function brought({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Stake> {
  return lockStakeOfTransaction(tx, 'stake_transaction_id', id);
}

/** Votes hold on to a stake that was final; once its transaction can never land again there is nothing to hold on to. */
async function unlocked({ tx, now }: TransactionContext, stake: Stake): Promise<Stake> {
  if (stake.status !== 'LOCKED') return stake;
  await setUsedPower(tx, stake, { usedPower: baseUnits(0n), lockedUntil: null }, now);
  return { ...stake, status: 'ACTIVE' };
}

function returned({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Stake> {
  return lockStakeOfTransaction(tx, 'unstake_transaction_id', id);
}

async function tellStake(
  context: TransactionContext,
  type: EventType,
  { id: stakeId, vaultId, wallet: actor, amount }: Stake,
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const data = { stakeId, amountBaseUnits: amount.toString() };
  await recordEvent(context, { type, vaultId, actor, transactionHash, correlationId, data });
}
