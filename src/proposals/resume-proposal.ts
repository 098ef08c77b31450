import type { Proposal } from './queries/proposals.ts';
import { takeBackRelease } from './queries/proposal-changes.ts';
import { lockStakesUsedInProposal, updateStakeUses } from '../votes/queries/stake-uses.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';

/**
 * Wakes the workflow of a proposal that can be executed again. One whose execution was final had ended and released the stakes: they are
 * locked again, except those that are on their way back, and the workflow starts again to end the execution phase.
 */
export async function resumeProposal(
  context: TransactionContext,
  { id: proposalId, vaultId }: Pick<Proposal, 'id' | 'vaultId'>,
): Promise<void> {
  if (await takeBackRelease(context, proposalId)) {
    const used = await lockStakesUsedInProposal(context.tx, proposalId);
    await updateStakeUses(
      context,
      used.map(({ id }) => id),
    );
  }
  const start = { kind: 'start', workflow: 'proposal', proposalId, vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), start);
}
