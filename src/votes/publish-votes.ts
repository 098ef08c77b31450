import type { AnchoringContext } from '../anchoring/anchors.ts';
import type { NewEvent } from '../events/queries/events.ts';
import { voteAnchorPayload } from '../anchoring/facts.ts';
import { type AuditedAction, publishAll } from '../events/publish.ts';
import type { AcceptedVote } from './vote-input.ts';

/** Anchors votes and publishes their events and audit entries. Returns the hash of the anchor transaction. */
export async function publishVotes(context: AnchoringContext, accepted: readonly AcceptedVote[]): Promise<string> {
  const payloads = accepted.map(({ input: { vaultId }, vote, replaces }) => ({
    factId: vote.id,
    vaultId,
    fact: voteAnchorPayload(vote, vaultId, replaces),
  }));
  const transactionHash = await context.anchor(...payloads);
  await publishAll(
    context,
    accepted.map((one) => ({ event: voteCastEvent(one, transactionHash), audit: voteCastAudit(one, transactionHash) })),
  );
  return transactionHash;
}

function voteCastEvent({ input, vote, replaces }: AcceptedVote, transactionHash: string): NewEvent {
  const { vaultId, correlationId } = input;
  const { id: voteId, proposalId, decision, amount } = vote;
  const data = { voteId, proposalId, decision, amountBaseUnits: amount.toString(), replaces };
  return { type: 'VOTE_CAST', vaultId, actor: vote.wallet, transactionHash, correlationId, data };
}

function voteCastAudit({ input: { caller, voter }, vote }: AcceptedVote, transactionHash: string): AuditedAction {
  return {
    action: 'VOTE_CAST',
    resource: { type: 'vote', id: vote.id },
    caller,
    onBehalfOf: voter.onBehalfOf,
    metadata: { proposalId: vote.proposalId, transactionHash },
  };
}
