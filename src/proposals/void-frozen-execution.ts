import type { FailureReason } from './rules/proposal.ts';
import { lockTransaction } from '../transactions/queries/chain-transactions.ts';
import { changeExecution } from '../executions/queries/executions.ts';
import { lockLiveExecution } from './queries/proposal-executions.ts';
import type { Proposal } from './queries/proposals.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { concernedWallets } from '../executions/concerned-wallets.ts';
import { publish } from '../events/publish.ts';
import { withdrawByPlatform } from '../transactions/withdraw-by-platform.ts';

/** Voids the execution of a proposal that ends, or cannot be executed as it was frozen, if it was frozen and never sent, so that the inputs it holds are free again. */
export async function voidFrozenExecution(
  context: TransactionContext,
  { id: proposalId, vaultId }: Pick<Proposal, 'id' | 'vaultId'>,
  { cause, note }: { readonly cause: FailureReason | 'custody_changed'; readonly note: string },
): Promise<void> {
  const execution = await lockLiveExecution(context.tx, proposalId);
  if (execution?.status !== 'FROZEN') return;
  const { id: executionId, transactionId } = execution;
  await changeExecution(context.tx, execution, { status: 'VOIDED', reason: cause });
  const transaction = await lockTransaction(context.tx, transactionId);
  if (!transaction) throw new Error(`execution ${executionId} has no transaction`);
  await withdrawByPlatform(context, transaction, note);
  const correlationId = proposalWorkflowId(proposalId);
  const wallets = concernedWallets(execution);
  const source = { vaultId, actor: 'platform', wallets, transactionHash: null, correlationId };
  const data = { proposalId, executionId, cause };
  await publish(context, { event: { type: 'EXECUTION_VOIDED', ...source, data } });
}
