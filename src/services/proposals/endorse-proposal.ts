import type { AnchoringContext } from '../../anchoring/anchors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { isoText } from '../../domain/units/instant.ts';
import { requireMayEndorse } from '../../domain/proposal/allowed-actions.ts';
import { voteSummary, proposalSnapshot } from '../votes/ballots.ts';
import { insertEndorsement } from '../../store/endorsements.ts';
import { recordEvent } from '../../store/events.ts';
import { closeFence } from '../../store/fences.ts';
import { stakedPower } from '../../store/voting-powers.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { proposalWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableProposal } from './read-proposals.ts';
import type { Anchored } from '../../http/transactions/response.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../publish.ts';
import { requireLockedVault } from '../vaults/require-vault.ts';
import { openWhenEndorsed } from './open-voting.ts';
import { requireAction } from '../../domain/proposal/action-refusals.ts';

interface Wish {
  readonly proposalId: string;
  readonly endorser: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Puts a wallet's stakes behind a draft; the last one that is needed opens the vote. Raises PROPOSAL_NOT_FOUND,
 * ENDORSING_CLOSED, VAULT_ALREADY_ENDED, INSUFFICIENT_VOTING_POWER, and ALREADY_ENDORSED unless the vote opens by it.
 */
export async function endorseProposal(
  work: AnchoringContext,
  { ids }: Pick<ServiceContext, 'ids'>,
  { proposalId, endorser, caller, correlationId }: Wish,
): Promise<Anchored> {
  const { tx, now } = work;
  await closeFence(tx, `proposal:${proposalId}`);
  const { proposal, vault } = await requireReadableProposal({ db: tx }, caller, proposalId);
  requireAction('endorse', proposalSnapshot(proposal, await voteSummary(tx, proposal)), now);
  requireLockedVault(vault);
  const { address: wallet } = endorser;
  const power = await stakedPower(tx, vault.id, wallet, now);
  const endorsement = { id: ids.next(), proposalId, wallet, createdAt: now };
  const isNew = wallet !== proposal.proposer && (await insertEndorsement(tx, endorsement));
  const opened = await openWhenEndorsed(work, vault, proposalId);
  requireMayEndorse(wallet, { power, isNew, opensVoting: opened });
  // Of the others its workflow need not know, and its history would grow by each.
  if (opened)
    await enqueueWorkflowMessage({ tx, ids }, proposalWorkflowId(proposalId), { kind: 'signal', signal: 'endorsed' });

  const { id: factId } = endorsement;
  const fact = { kind: 'proposal_endorsed', endorsementId: factId, proposalId, wallet, endorsedAt: isoText(now) };
  const transactionHash = await work.anchor({ factId, vaultId: vault.id, fact });
  const told = { vaultId: vault.id, actor: wallet, transactionHash, correlationId };
  const data = { proposalId, powerBaseUnits: power.toString() };
  await recordEvent({ tx, ids, now }, { type: 'PROPOSAL_ENDORSED', ...told, data });
  if (opened) {
    const change = { proposalId, status: 'ACTIVE', reason: null };
    await recordEvent({ tx, ids, now }, { type: 'PROPOSAL_STATUS_CHANGED', ...told, data: change });
  }
  const deed = { action: 'PROPOSAL_ENDORSED', resource: { type: 'proposal', id: proposalId }, caller } as const;
  const { onBehalfOf } = endorser;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { transactionHash } } });
  return { factId, transactionHash };
}
