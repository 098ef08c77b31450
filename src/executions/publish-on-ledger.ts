import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data/event-data.ts';
import type { Execution } from './queries/executions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { concernedWallets } from './concerned-wallets.ts';
import { publish } from '../events/publish.ts';

/** Publishes what became of an execution, with what it does. */
export async function publishExecution(
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
export async function publishVoided(
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
