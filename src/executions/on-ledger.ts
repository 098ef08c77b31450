import { publish } from '../events/publish.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import { concernedWallets } from './plan-execution.ts';
import { executionEffects } from './effects.ts';
import { changeExecution, type Execution, lockExecutionOfTransaction } from './queries.ts';
import { mayExecuteAgain } from './rules/execution.ts';
import type { TransactionEffects } from '../ledger-follower/effects/transaction-effects.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { signalTransactionChanged } from '../platform/temporal/workflow-outbox.ts';
import { publishProposalStatus, resumeProposal } from '../proposals/phases.ts';
import {
  failProposal,
  setExecuted,
  setExecutionSent,
  lockProposal,
  type Proposal,
} from '../proposals/queries/proposals.ts';
import { countFailedExecutions, hasExecuted, hasOpenExecution } from '../proposals/queries/proposal-executions.ts';
import type { FailureReason } from '../proposals/rules/proposal.ts';
import { type ChainTransaction, findTransaction } from '../transactions/queries/transactions.ts';
import type { TransactionEnd } from '../transactions/rules.ts';

/** A proposal is EXECUTED, and its effect holds, while its execution is on the ledger. */
export const executeEffects: TransactionEffects = {
  async confirmed(context, transaction) {
    const execution = await lockExecutionOfTransaction(context.tx, transaction.id);
    const effect = executionEffects[execution.effect.type];
    // It was given up, and is confirmed after all.
    const isRevived = execution.status === 'FAILED';
    const direction = isRevived ? 'rollback' : 'forward';
    await changeExecution(context.tx, execution, { status: 'EXECUTED', executedAt: context.now, direction });
    if (isRevived) await effect.revive?.(context, execution, transaction);
    await effect.apply(context, execution, transaction);
    await publishExecution(context, 'EXECUTION_CONFIRMED', execution, transaction);
    const proposal = await lockProposal(context.tx, execution.proposalId);
    if (proposal.status !== 'PASSED') return publishLateConfirmation(context, execution, transaction, proposal);
    await setExecuted(context, proposal, 'EXECUTED');
    await publishAndSignal(context, proposal, transaction, { status: 'EXECUTED', reason: null });
  },

  async final(context, transaction) {
    const execution = await lockExecutionOfTransaction(context.tx, transaction.id);
    await executionEffects[execution.effect.type].final?.(context, execution, transaction);
    await signalWorkflow(context, execution.proposalId);
  },

  async rolledBack(context, transaction) {
    const execution = await lockExecutionOfTransaction(context.tx, transaction.id);
    await executionEffects[execution.effect.type].undo(context, execution, transaction);
    await takeBack(context, execution, transaction);
    await publishExecution(context, 'EXECUTION_ROLLED_BACK', execution, transaction);
    const proposal = await lockProposal(context.tx, execution.proposalId);
    if (proposal.status !== 'EXECUTED' || (await hasExecuted(context.tx, proposal.id))) return;
    await setExecuted(context, proposal, 'PASSED');
    await publishAndResume(context, proposal, transaction, 'rolled_back');
  },

  async ended(context, transaction, end) {
    const execution = await lockExecutionOfTransaction(context.tx, transaction.id);
    if (execution.status === 'FROZEN') {
      await changeExecution(context.tx, execution, { status: 'VOIDED', reason: 'expired' });
      await publishVoided(context, execution, transaction, 'expired');
    }
    if (execution.status === 'SENT') await failExecution(context, execution, transaction, end);
  },
};

/** Lets a rolled back execution be sent again; it has failed for its proposal when another one was frozen meanwhile. */
async function takeBack(context: TransactionContext, execution: Execution, transaction: ChainTransaction) {
  const { tx } = context;
  if (await hasOpenExecution(tx, execution.proposalId)) {
    await changeExecution(tx, execution, { status: 'FAILED', reason: 'rolled_back', direction: 'rollback' });
    await executionEffects[execution.effect.type].abandon?.(context, execution, transaction);
    return;
  }
  const executedBy = execution.executedBy ?? execution.frozenBy;
  await changeExecution(tx, execution, { status: 'SENT', executedBy, direction: 'rollback' });
  await setExecutionSent(context, execution.proposalId, true);
}

/**
 * Records that an execution has failed, or was not confirmed in time. Its proposal can be executed again while its execution phase
 * lasts, but not after too many failures of those whom the vote named (design D50): then it fails too.
 */
async function failExecution(
  context: TransactionContext,
  execution: Execution,
  transaction: ChainTransaction,
  end: TransactionEnd,
) {
  const { tx } = context;
  const cause = (await findTransaction(tx, transaction.id))?.error ?? end;
  await changeExecution(tx, execution, { status: 'FAILED', reason: cause });
  await executionEffects[execution.effect.type].abandon?.(context, execution, transaction);
  await setExecutionSent(context, execution.proposalId, false);
  await publishExecution(context, 'EXECUTION_FAILED', execution, transaction, cause);
  const proposal = await lockProposal(tx, execution.proposalId);
  // Another execution has been confirmed, or the proposal had failed before this one was rolled back.
  if (proposal.status !== 'PASSED') return;
  const { effect, phases } = proposal;
  const failures = await countFailedExecutions(tx, proposal.id);
  if (phases && mayExecuteAgain({ effect, failures, executionEndsAt: phases.execution.endsAt }, context.now)) {
    await publishAndResume(context, proposal, transaction, 'execution_failed');
    return;
  }
  const reason: FailureReason = end === 'failed' ? 'execution_failed' : 'execution_window_elapsed';
  await failProposal(context, proposal, reason);
  await publishAndSignal(context, proposal, transaction, { status: 'FAILED', reason });
}

/**
 * Alarms that an execution has been confirmed although its proposal had failed, or was executed by another one: its effect is recorded,
 * since it is on the ledger, and the proposal stays as it is.
 */
async function publishLateConfirmation(
  context: TransactionContext,
  execution: Execution,
  transaction: ChainTransaction,
  { status }: Proposal,
): Promise<void> {
  await publishExecution(context, 'EXECUTION_LANDED_LATE', execution, transaction, `the proposal was ${status}`);
}

/** Publishes the new status of a proposal, and wakes its workflow. */
async function publishAndSignal(
  context: TransactionContext,
  proposal: Proposal,
  { hash }: ChainTransaction,
  change: Parameters<typeof publishProposalStatus>[2],
): Promise<void> {
  await publishProposalStatus(context, proposal, change, hash);
  await signalWorkflow(context, proposal.id);
}

/** Publishes that a proposal is PASSED again or still, and lets its workflow continue. */
async function publishAndResume(
  context: TransactionContext,
  proposal: Proposal,
  { hash }: ChainTransaction,
  reason: 'rolled_back' | 'execution_failed',
): Promise<void> {
  await publishProposalStatus(context, proposal, { status: 'PASSED', reason }, hash);
  await resumeProposal(context, proposal);
}

/** The workflow of the proposal reads the state of the execution again. */
async function signalWorkflow(context: TransactionContext, proposalId: string): Promise<void> {
  await signalTransactionChanged(context, proposalWorkflowId(proposalId));
}

/** Publishes what became of an execution, with what it does. */
async function publishExecution(
  context: TransactionContext,
  type: EventTypeLike<'EXECUTION_CONFIRMED'>,
  execution: Execution,
  transaction: ChainTransaction,
  cause?: string,
): Promise<void> {
  const { id: executionId, proposalId, effect } = execution;
  const effectData = { proposalId, executionId, type: effect.type, assetIds: effect.assetIds };
  const data = cause === undefined ? effectData : { ...effectData, cause };
  await publish(context, { event: { type, ...eventSource(execution, transaction), data } });
}

/** Publishes that an execution can no longer be signed. */
async function publishVoided(
  context: TransactionContext,
  execution: Execution,
  transaction: ChainTransaction,
  cause: string,
): Promise<void> {
  const data = { proposalId: execution.proposalId, executionId: execution.id, cause };
  await publish(context, { event: { type: 'EXECUTION_VOIDED', ...eventSource(execution, transaction), data } });
}

function eventSource(execution: Execution, { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction) {
  const { vaultId, executedBy, frozenBy } = execution;
  const wallets = concernedWallets(execution);
  return { vaultId, actor: executedBy ?? frozenBy, wallets, transactionHash, correlationId };
}
