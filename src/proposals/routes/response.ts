import type { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { percentageNumber } from '../../platform/units/percentage.ts';
import type { ProposalView } from '../view-proposals.ts';
import { presentExecution } from '../../executions/routes/response.ts';
import { proofLink } from '../../transactions/routes/response.ts';
import { presentPhase } from './phase-response.ts';
import type { ProposalResource } from './resource.ts';
import { presentResult } from './result-response.ts';
import { presentTally } from './tally-response.ts';
import { presentThresholds } from './thresholds-response.ts';

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
