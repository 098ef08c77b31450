import { type Caller, requireMayActFor } from '../access/rules.ts';
import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import { publish } from '../events/publish.ts';
import { concernedWallets } from '../executions/plan-execution.ts';
import { changeExecution } from '../executions/queries.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { isoText } from '../platform/units/time.ts';
import { cancellingWallet, requireReadableProposal } from './read-proposals.ts';
import { lockLiveExecution } from './queries/proposal-executions.ts';
import { setFinalTally, failProposal, type Proposal } from './queries/proposals.ts';
import { requireAction } from './rules/allowed-actions.ts';
import type { FailureReason } from './rules/proposal.ts';
import { lockTransaction } from '../transactions/queries/transactions.ts';
import { withdrawByPlatform } from '../transactions/withdraw-by-platform.ts';
import { proposalSnapshot, voteSummary } from '../votes/read-votes.ts';

interface ProposalCancellation {
  readonly proposalId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Cancels a proposal that is a draft or in its lock phase, for its proposer or the vault's admin. Its workflow then
 * releases the stakes.
 */
export async function cancelProposal(
  context: AnchoringContext,
  { proposalId, caller, correlationId }: ProposalCancellation,
): Promise<AnchoredChange> {
  const { tx, ids, now } = context;
  await lockExclusive(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableProposal(tx, caller, proposalId);
  const wallet = cancellingWallet(caller, proposal, vault);
  const onBehalfOf = requireMayActFor(caller, wallet);
  const votes = await voteSummary(tx, proposal);
  const { tally, quorumBase, circulating } = votes;
  requireAction('cancel', proposalSnapshot(proposal, votes), now);
  // The vote may have ended although no worker has closed it yet.
  if (proposal.phases !== null) await setFinalTally(tx, proposalId, { ...tally, quorumBase, circulating });
  await failProposal(context, proposal, 'cancelled');
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), { kind: 'signal', signal: 'cancelRequested' });

  const factId = ids.next();
  const fact = { kind: 'proposal_cancelled', proposalId, wallet, cancelledAt: isoText(now) };
  const transactionHash = await context.anchor({ factId, vaultId: vault.id, fact });
  const data = { proposalId, status: 'FAILED', reason: 'cancelled' } as const;
  await publish(context, {
    event: {
      type: 'PROPOSAL_STATUS_CHANGED',
      vaultId: vault.id,
      actor: wallet,
      wallets: [proposal.proposer],
      transactionHash,
      correlationId,
      data,
    },
    audit: {
      action: 'PROPOSAL_CANCELLED',
      resource: { type: 'proposal', id: proposalId },
      caller,
      onBehalfOf,
      metadata: { transactionHash },
    },
  });
  return { factId, transactionHash };
}

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
