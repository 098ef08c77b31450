import { sql } from 'kysely';
import type { Instant } from '../../domain/units/instant.ts';
import { isHeld } from '../../domain/stake/stake.ts';
import { unsolicitedLookId } from '../../temporal/workflow-ids.ts';
import type { Db } from '../../store/database.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { changeStakeStatus } from '../../store/stake-changes.ts';
import { lockStakes } from '../../store/stakes.ts';
import type { UtxoRef } from '../../domain/transaction/utxo-ref.ts';
import { publish } from '../publish.ts';

/** The output that holds a stake. */
export interface StakeOutput extends UtxoRef {
  readonly stakeId: string;
  readonly address: string;
}

/** The outputs of the stakes in a vault that no vote uses and that their owners can take back alone at `now` (design D24). */
export async function stakesOwnersMayTake(db: Db, vaultId: string, now: Instant): Promise<StakeOutput[]> {
  const rows = await db
    .selectFrom('stakes')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'stakes.stake_transaction_id')
    .select(['stakes.id', 'stakes.script_address', 'chain_transactions.hash'])
    .where('stakes.vault_id', '=', vaultId)
    .where('stakes.owner_alone_from', '<=', new Date(now))
    .where('stakes.status', '=', 'ACTIVE')
    .where(sql<boolean>`stakes.voting_power > 0`)
    .orderBy('stakes.id')
    .execute();
  return rows.map(({ id, script_address: address, hash }) => ({ stakeId: id, address, txHash: hash, index: 0 }));
}

/** Records that the owner of a stake took it back by a transaction of their own; does nothing when the stake has changed meanwhile. */
export async function recordReclaimedStake(
  context: TransactionContext,
  stakeId: string,
  reclaimHash: string,
): Promise<void> {
  const { tx, now } = context;
  const [stake] = await lockStakes(tx, [stakeId]);
  if (!stake || stake.status !== 'ACTIVE' || !isHeld(stake)) return;
  await changeStakeStatus(tx, stake, { status: 'RELEASED', reason: 'reclaimed', reclaimHash }, now);
  const { vaultId, wallet: actor, amount } = stake;
  const data = { stakeId, amountBaseUnits: amount.toString() };
  const correlationId = unsolicitedLookId;
  await publish(context, {
    event: { type: 'STAKE_RECLAIMED', vaultId, actor, transactionHash: reclaimHash, correlationId, data },
  });
}
