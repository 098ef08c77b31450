import { isHeld } from './rules/stake.ts';
import { unsolicitedScanId } from '../platform/temporal/workflow-ids.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { changeStakeStatus } from './queries/stake-changes.ts';
import { lockStakes } from './queries/stakes.ts';
import { publish } from '../events/publish.ts';

/** Records that the owner of a stake took it back by a transaction of their own; does nothing when the stake has changed meanwhile. */
export async function recordReclaimedStake(
  context: TransactionContext,
  stakeId: string,
  reclaimHash: string,
): Promise<void> {
  const { tx } = context;
  const [stake] = await lockStakes(tx, [stakeId]);
  if (!stake || stake.status !== 'ACTIVE' || !isHeld(stake)) return;
  await changeStakeStatus(context, stake, { status: 'RELEASED', reason: 'reclaimed', reclaimHash });
  const { vaultId, wallet: actor, amount } = stake;
  const data = { stakeId, amountBaseUnits: amount.toString() };
  const correlationId = unsolicitedScanId;
  await publish(context, {
    event: { type: 'STAKE_RECLAIMED', vaultId, actor, transactionHash: reclaimHash, correlationId, data },
  });
}
