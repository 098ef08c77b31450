import type { ProposalStatus } from './rules/proposal.ts';
import type { Proposal } from './queries/proposals.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { publish } from '../events/publish.ts';

interface StatusChange {
  readonly status: ProposalStatus;
  readonly reason: string | null;
}

/** Publishes the new status of a proposal, which its workflow has changed, or a transaction that is on the ledger or has ended. */
export async function publishProposalStatus(
  context: TransactionContext,
  { id: proposalId, vaultId, proposer }: Pick<Proposal, 'id' | 'vaultId' | 'proposer'>,
  change: StatusChange,
  transactionHash: string | null = null,
): Promise<void> {
  const correlationId = proposalWorkflowId(proposalId);
  const source = { vaultId, actor: 'platform', wallets: [proposer], transactionHash, correlationId };
  await publish(context, { event: { type: 'PROPOSAL_STATUS_CHANGED', ...source, data: { proposalId, ...change } } });
}
