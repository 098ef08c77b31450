import { lockTransaction } from '../../store/chain-transactions.ts';
import { changeExecution } from '../../store/executions.ts';
import { lockLiveExecution } from '../../store/proposal-executions.ts';
import type { Proposal } from '../../store/proposals.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { ProposalStage } from '../../temporal/activity-types.ts';
import { proposalWorkflowId } from '../../temporal/workflow-ids.ts';
import { concernedWallets } from '../executions/concerned-wallets.ts';
import { publish } from '../publish.ts';
import { withdrawByPlatform } from '../transactions/withdraw-by-platform.ts';
import type { WorkerContext } from '../worker-context.ts';
import { endAsFailed, type ProposalMoment, type ProposalStep, takeStep } from './proposal-step.ts';

/** Fails a proposal that was not executed in time. One whose execution was sent stays until that lands or no longer can. */
export function endExecution(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  moment: ProposalMoment,
): Promise<ProposalStage> {
  return takeStep(context, executionEnd, moment);
}

const reason = 'execution_window_elapsed';

const executionEnd: ProposalStep = {
  transition: 'execution_end',
  dueAt: ({ phases }) => phases?.execution.endsAt,
  isReady: ({ status, executionSent }) => status === 'PASSED' && !executionSent,
  async take(context, proposal) {
    await voidFrozenExecution(context, proposal);
    await endAsFailed(context, proposal, reason);
  },
};

/** Voids an execution that was frozen and never sent, so that the inputs it holds are free again. */
async function voidFrozenExecution(context: TransactionContext, { id: proposalId, vaultId }: Proposal): Promise<void> {
  const execution = await lockLiveExecution(context.tx, proposalId);
  if (execution?.status !== 'FROZEN') return;
  const { id: executionId, transactionId } = execution;
  await changeExecution(context.tx, execution, { status: 'VOIDED', reason });
  const transaction = await lockTransaction(context.tx, transactionId);
  if (!transaction) throw new Error(`execution ${executionId} has no transaction`);
  await withdrawByPlatform(context, transaction, 'the execution phase is over');
  const correlationId = proposalWorkflowId(proposalId);
  const wallets = concernedWallets(execution);
  const source = { vaultId, actor: 'platform', wallets, transactionHash: null, correlationId };
  const data = { proposalId, executionId, cause: reason };
  await publish(context, { event: { type: 'EXECUTION_VOIDED', ...source, data } });
}
