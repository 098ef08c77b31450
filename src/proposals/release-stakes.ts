import type { NewEvent } from '../events/queries/events.ts';
import { lockProposal } from './queries/proposals.ts';
import { setStakesReleased } from './queries/proposal-changes.ts';
import { lockStakesUsedInProposal, updateStakeUses } from '../votes/queries/stake-uses.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { ServiceContext } from '../context.ts';
import { publishAll } from '../events/publish.ts';
import type { ProposalMoment } from './proposal-step.ts';

/**
 * Releases the stakes that voted in a proposal that has ended, and publishes those that no other vote locks. A rollback may have made it
 * PASSED again since its end was read: then it keeps them.
 */
export async function releaseStakes(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { proposalId, now }: ProposalMoment,
): Promise<void> {
  await unitOfWork(async (work) => {
    const { status } = await lockProposal(work.tx, proposalId);
    if (status === 'FAILED' || status === 'EXECUTED') await releaseStakesOf({ ...work, now }, proposalId);
  });
}

/** As `releaseStakes`, in the transaction that ends the proposal. */
export async function releaseStakesOf(context: TransactionContext, proposalId: string): Promise<void> {
  const { tx } = context;
  const used = await lockStakesUsedInProposal(tx, proposalId);
  await setStakesReleased(context, proposalId);
  const updated = await updateStakeUses(
    context,
    used.map(({ id }) => id),
  );
  const locked = new Set(used.filter(({ status }) => status === 'LOCKED').map(({ id }) => id));
  const unlocked = updated.filter(({ id, status }) => status === 'ACTIVE' && locked.has(id));
  await publishAll(
    context,
    unlocked.map((stake) => ({ event: unlockedEvent(stake, proposalId) })),
  );
}

function unlockedEvent(
  { id: stakeId, vaultId, wallet: actor, amount: amountBaseUnits }: Awaited<ReturnType<typeof updateStakeUses>>[number],
  proposalId: string,
): NewEvent {
  const source = { vaultId, actor, transactionHash: null, correlationId: proposalWorkflowId(proposalId) };
  return { type: 'STAKE_UNLOCKED', ...source, data: { stakeId, amountBaseUnits } };
}
