import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import { type Caller, requireMayActFor } from '../access/rules/caller.ts';
import { requireAction } from './rules/action-refusals.ts';
import { isoText } from '../platform/units/instant.ts';
import { closeFence } from '../platform/database/fences.ts';
import { setFinalTally, failProposal } from './queries/proposal-changes.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { publish } from '../events/publish.ts';
import { proposalSnapshot, voteSummary } from '../votes/vote-summaries.ts';
import { cancellingWallet } from './participation.ts';
import { requireReadableProposal } from './readable-proposal.ts';

interface ProposalCancellation {
  readonly proposalId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Cancels a proposal that is a draft or in its lock phase, for its proposer or the vault's admin. Its workflow then releases
 * the stakes. Throws PROPOSAL_NOT_FOUND, INSUFFICIENT_PERMISSIONS and PROPOSAL_NOT_CANCELLABLE.
 */
export async function cancelProposal(
  context: AnchoringContext,
  { proposalId, caller, correlationId }: ProposalCancellation,
): Promise<AnchoredChange> {
  const { tx, ids, now } = context;
  await closeFence(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableProposal({ db: tx }, caller, proposalId);
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
