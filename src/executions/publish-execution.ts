import type { NewExecution } from './queries/executions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { publish } from '../events/publish.ts';
import { concernedWallets } from './concerned-wallets.ts';
import type { ExecutionInput } from './execution-params.ts';

/** What the event and the audit entry are about. */
interface PublishedExecution {
  readonly event: 'EXECUTION_FROZEN' | 'EXECUTION_SENT';
  readonly action: 'EXECUTION_FROZEN' | 'PROPOSAL_EXECUTED';
  readonly execution: NewExecution;
  readonly transactionHash: string;
}

/** Publishes that an execution was frozen or submitted, as an event and in the audit log. */
export async function publishExecution(
  context: TransactionContext,
  { executor, caller, correlationId }: ExecutionInput,
  { event: type, action, execution, transactionHash }: PublishedExecution,
): Promise<void> {
  const { id, proposalId, vaultId, effect, cosigners } = execution;
  const data = { proposalId, executionId: id, type: effect.type, cosigners: cosigners.map(({ wallet }) => wallet) };
  const { address: actor, onBehalfOf } = executor;
  const resource = { type: 'proposal', id: proposalId } as const;
  await publish(context, {
    event: { type, vaultId, actor, wallets: concernedWallets(execution), transactionHash, correlationId, data },
    audit: { action, resource, caller, onBehalfOf, metadata: { transactionHash } },
  });
}
