import { z } from 'zod';
import type { Caller } from '../../access/rules.ts';
import type { AnchoredChange } from '../../anchoring/anchors.ts';
import type { ApiContext } from '../../api-context.ts';
import { presentExecution } from '../../executions/schemas.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { isoText } from '../../platform/units/time.ts';
import { percentageNumber } from '../../platform/units/money.ts';
import type { NewProposal } from '../queries/proposals.ts';
import { type ProposalView, readProposalView } from '../read-proposals.ts';
import { presentPhase, ProposalResource, presentResult, presentTally, presentThresholds } from './resource.ts';
import {
  proofLink,
  inSpecForm,
  presentPending,
  ProofLink,
  SpecTransaction,
  OperationTransaction,
  presentAnchored,
} from '../../transactions/routes/response.ts';

export function presentProposal(proposalView: ProposalView): z.input<typeof ProposalResource> {
  const { proposal, view, votes, allowedActions, execution, closing } = proposalView;
  const { effect, thresholds } = proposal;
  const { status, failureReason } = view;
  const ended = status === 'FAILED' || status === 'EXECUTED';
  return {
    id: proposal.id,
    vaultId: proposal.vaultId,
    type: effect.type,
    title: proposal.title,
    description: proposal.description,
    status,
    failureReason,
    phase: view.phase,
    phaseEndsAt: view.phaseEndsAt === null ? null : isoText(view.phaseEndsAt),
    overdueSeconds: view.overdueSeconds,
    draftExpiresAt: isoText(proposal.draftExpiresAt),
    votingPhase: { ...presentPhase(proposalView, 'voting'), quorum: percentageNumber(thresholds.vote) },
    lockPhase: presentPhase(proposalView, 'lock'),
    executionPhase: { ...presentPhase(proposalView, 'execution'), requiredCosigners: proposal.requiredCosigners },
    settings: {
      assets: [...effect.assetIds],
      effects: [{ type: effect.type, assetIds: [...effect.assetIds], terms: presentTerms(effect.terms) }],
    },
    votes: presentTally(proposalView),
    eligiblePowerBaseUnits: votes.quorumBase.toString(),
    circulatingBaseUnits: votes.circulating.toString(),
    thresholds: presentThresholds(proposalView),
    cosigningThreshold: percentageNumber(thresholds.cosigning),
    allowedActions: [...allowedActions],
    ...(ended && { result: presentResult(proposalView, status, failureReason) }),
    execution: execution && presentExecution(execution),
    closing: closing && {
      votesRoot: closing.votesRoot,
      transactionHash: closing.transactionHash,
      proof: proofLink(closing.factId),
    },
    proof: proofLink(proposal.id),
    createdBy: proposal.proposer,
    createdAt: isoText(proposal.createdAt),
    updatedAt: isoText(proposal.updatedAt),
  };
}

function presentTerms(terms: object): Record<string, string | null> {
  const entries = Object.entries(terms) as [string, string | bigint | null][];
  return Object.fromEntries(entries.map(([name, term]) => [name, term === null ? null : String(term)]));
}

/** The spec's response to the creation of a proposal. */
export const ProposalCreated = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  transaction: SpecTransaction,
  status: z.literal('created'),
  thresholds_met: z.object({
    creation_threshold: z.boolean().describe('Always true. A proposer with a smaller stake gets an error.'),
  }),
  created_at: Timestamp,
  proof: ProofLink,
});

export function presentCreatedProposal(proposal: NewProposal, transactionHash: string) {
  return {
    vault_id: proposal.vaultId,
    proposal_id: proposal.id,
    transaction: inSpecForm(presentPending(transactionHash)),
    status: 'created',
    thresholds_met: { creation_threshold: true },
    created_at: isoText(proposal.createdAt),
    proof: proofLink(proposal.id),
  } as const;
}

/** A proposal that the request has changed, with the transaction that anchors the change. */
export const ChangedProposal = Enveloped(ProposalResource.extend({ transaction: OperationTransaction }));

/** Reads the proposal after the change, in the database transaction that made it. */
export async function presentChangedProposal(
  { tx: db, now }: TransactionContext,
  { networkId }: Pick<ApiContext, 'networkId'>,
  { proposalId, caller }: { readonly proposalId: string; readonly caller: Caller },
  anchored: AnchoredChange,
) {
  const proposal = presentProposal(await readProposalView({ db, networkId, caller, now }, proposalId));
  return enveloped({ ...proposal, transaction: presentAnchored(anchored) }, now);
}
