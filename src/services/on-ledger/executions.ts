import type { FailureReason } from '../../domain/proposal/proposal.ts';
import type { TransactionEnd } from '../../domain/transaction/transaction-state.ts';
import { type ChainTransaction, findTransaction } from '../../store/chain-transactions.ts';
import type { Consequences } from './consequences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvent } from '../../store/events.ts';
import { changeExecution, type Execution, lockExecutionOfTransaction } from '../../store/executions.ts';
import { failProposal, setExecuted, setExecutionSent } from '../../store/proposal-changes.ts';
import { lockProposal } from '../../store/proposals.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { proposalWorkflowId } from '../../temporal/workflow-ids.ts';
import { executionEffects } from '../executions/effects/effects.ts';

/** A proposal is EXECUTED, and its effect holds, while its execution is on the ledger. */
export const executeConsequences: Consequences = {
  async confirmed(scene, transaction) {
    const execution = await lockExecutionOfTransaction(scene.tx, transaction.id);
    await changeExecution(scene.tx, execution, { status: 'EXECUTED', executedAt: scene.now });
    await executionEffects[execution.effect.type].apply(scene, execution, transaction);
    await setExecuted(scene.tx, await lockProposal(scene.tx, execution.proposalId), 'EXECUTED', scene.now);
    await tell(scene, 'EXECUTION_CONFIRMED', execution, transaction);
    await tellStatus(scene, execution, transaction, { status: 'EXECUTED', reason: null });
  },

  final: async (scene, transaction) => wake(scene, await lockExecutionOfTransaction(scene.tx, transaction.id)),

  async rolledBack(scene, transaction) {
    const execution = await lockExecutionOfTransaction(scene.tx, transaction.id);
    const executedBy = execution.executedBy ?? execution.frozenBy;
    await changeExecution(scene.tx, execution, { status: 'SENT', executedBy, direction: 'rollback' });
    await setExecuted(scene.tx, await lockProposal(scene.tx, execution.proposalId), 'PASSED', scene.now);
    await executionEffects[execution.effect.type].undo(scene, execution, transaction);
    await tell(scene, 'EXECUTION_ROLLED_BACK', execution, transaction);
    await tellStatus(scene, execution, transaction, { status: 'PASSED', reason: 'rolled_back' });
  },

  async ended(scene, transaction, end) {
    const execution = await lockExecutionOfTransaction(scene.tx, transaction.id);
    if (execution.status === 'FROZEN') {
      await changeExecution(scene.tx, execution, { status: 'VOIDED', reason: 'expired' });
      await tell(scene, 'EXECUTION_VOIDED', execution, transaction, 'expired');
    }
    if (execution.status === 'SENT') await fail(scene, execution, transaction, end);
  },
};

/** Nothing can come of the proposal any more: its transaction was refused for good, or its time was over before it landed. */
async function fail(
  scene: TransactionContext,
  execution: Execution,
  transaction: ChainTransaction,
  end: TransactionEnd,
) {
  const { tx, now } = scene;
  const cause = (await findTransaction(tx, transaction.id))?.error ?? end;
  await changeExecution(tx, execution, { status: 'FAILED', reason: cause });
  await executionEffects[execution.effect.type].abandon?.(scene, execution, transaction);
  await setExecutionSent(tx, execution.proposalId, false, now);
  const reason: FailureReason = end === 'failed' ? 'execution_failed' : 'execution_window_elapsed';
  await failProposal(tx, await lockProposal(tx, execution.proposalId), reason, now);
  await tell(scene, 'EXECUTION_FAILED', execution, transaction, cause);
  await tellStatus(scene, execution, transaction, { status: 'FAILED', reason });
}

async function tell(
  context: TransactionContext,
  type: EventType,
  { id: executionId, proposalId, vaultId, effect, executedBy, frozenBy }: Execution,
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
  cause?: string,
): Promise<void> {
  const done = { proposalId, executionId, type: effect.type, assetIds: effect.assetIds };
  const data = cause === undefined ? done : { ...done, cause };
  const actor = executedBy ?? frozenBy;
  await recordEvent(context, { type, vaultId, actor, transactionHash, correlationId, data });
}

async function tellStatus(
  scene: TransactionContext,
  execution: Execution,
  { hash: transactionHash }: ChainTransaction,
  change: { readonly status: string; readonly reason: string | null },
): Promise<void> {
  const { proposalId, vaultId } = execution;
  const told = { vaultId, actor: 'platform', transactionHash, correlationId: proposalWorkflowId(proposalId) };
  const data = { proposalId, ...change };
  await recordEvent(scene, { type: 'PROPOSAL_STATUS_CHANGED', ...told, data });
  await wake(scene, execution);
}

/** Its workflow looks again at how far the execution is. */
async function wake(context: TransactionContext, { proposalId }: Execution): Promise<void> {
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), {
    kind: 'signal',
    signal: 'transactionChanged',
  });
}
