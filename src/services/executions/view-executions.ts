import { type ChainTransaction, transactionsById } from '../../store/chain-transactions.ts';
import type { Db, Transaction } from '../../store/database.ts';
import type { Execution } from '../../store/executions.ts';
import { lastExecutions } from '../../store/proposal-executions.ts';

/** An execution with its transaction. */
export interface ExecutionView {
  readonly execution: Execution;
  readonly transaction: ChainTransaction;
}

/** The last execution of each proposal that has one, by proposal id. */
export async function viewLastExecutions(
  db: Db | Transaction,
  proposalIds: readonly string[],
): Promise<ReadonlyMap<string, ExecutionView>> {
  const executions = [...(await lastExecutions(db, proposalIds)).values()];
  const transactionIds = executions.map(({ transactionId }) => transactionId);
  const transactions = await transactionsById(db, transactionIds);
  const views = executions.map((execution) => {
    const transaction = transactions.get(execution.transactionId);
    if (!transaction) throw new Error(`execution ${execution.id} has no transaction`);
    return [execution.proposalId, { execution, transaction }] as const;
  });
  return new Map(views);
}

/** The last execution of a proposal that has one. */
export async function viewLastExecution(db: Db | Transaction, proposalId: string): Promise<ExecutionView> {
  const view = (await viewLastExecutions(db, [proposalId])).get(proposalId);
  if (!view) throw new Error(`proposal ${proposalId} has no execution`);
  return view;
}
