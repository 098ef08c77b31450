import type { AnchoringContext } from '../../anchoring/anchors.ts';
import { requireMayActFor, type Caller } from '../../domain/identity/caller.ts';
import { isoText } from '../../domain/units/instant.ts';

import { voteSummary, proposalSnapshot } from '../votes/ballots.ts';
import { recordEvent } from '../../store/events.ts';
import { closeFence } from '../../store/fences.ts';
import { failProposal, setFinalTally } from '../../store/proposal-changes.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { proposalWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { cancellingWallet } from './participation.ts';
import { requireReadableProposal } from './read-proposals.ts';
import type { Anchored } from '../../http/transactions/response.ts';
import { publish } from '../publish.ts';
import { requireAction } from '../../domain/proposal/action-refusals.ts';

interface Wish {
  readonly proposalId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Ends a proposal as a draft or in its lock phase, for its proposer or the vault's admin; its workflow then lets go of the
 * stakes. Raises PROPOSAL_NOT_FOUND, INSUFFICIENT_PERMISSIONS and PROPOSAL_NOT_CANCELLABLE.
 */
export async function cancelProposal(
  work: AnchoringContext,
  { ids }: Pick<ServiceContext, 'ids'>,
  { proposalId, caller, correlationId }: Wish,
): Promise<Anchored> {
  const { tx, now } = work;
  await closeFence(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableProposal({ db: tx }, caller, proposalId);
  const wallet = cancellingWallet(caller, proposal, vault);
  const onBehalfOf = requireMayActFor(caller, wallet);
  const ballot = await voteSummary(tx, proposal);
  requireAction('cancel', proposalSnapshot(proposal, ballot), now);
  // The vote may be over without a worker having closed it yet.
  if (proposal.phases !== null) await setFinalTally(tx, proposalId, { ...ballot.tally, quorumBase: ballot.quorumBase });
  await failProposal(tx, proposal, 'cancelled', now);
  await enqueueWorkflowMessage({ tx, ids }, proposalWorkflowId(proposalId), {
    kind: 'signal',
    signal: 'cancelRequested',
  });

  const factId = ids.next();
  const fact = { kind: 'proposal_cancelled', proposalId, wallet, cancelledAt: isoText(now) };
  const transactionHash = await work.anchor({ factId, vaultId: vault.id, fact });
  const data = { proposalId, status: 'FAILED', reason: 'cancelled' };
  const told = { vaultId: vault.id, actor: wallet, transactionHash, correlationId, data };
  await recordEvent({ tx, ids, now }, { type: 'PROPOSAL_STATUS_CHANGED', ...told });
  const deed = { action: 'PROPOSAL_CANCELLED', resource: { type: 'proposal', id: proposalId }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { transactionHash } } });
  return { factId, transactionHash };
}
