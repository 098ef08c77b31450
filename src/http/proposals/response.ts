import type { z } from 'zod';
import { printDuration } from '../../domain/units/duration.ts';
import { isoText } from '../../domain/units/instant.ts';
import { type BaseUnits, basisPoints } from '../../domain/units/money.ts';
import { percentageNumber } from '../../domain/units/percentage.ts';
import type { PhaseName } from '../../domain/proposal/phases.ts';
import { presentExecution } from '../executions/response.ts';

import type { ProposalResource } from './resource.ts';
import { wholeTokens } from '../stakes/response.ts';
import { proofLink } from '../transactions/response.ts';
import { presentVote } from '../votes/response.ts';
import type { ProposalView } from '../../services/proposals/view-proposals.ts';
import type { VotingPosition } from '../../services/votes/read-votes.ts';

export function presentProposal(shown: ProposalView): z.input<typeof ProposalResource> {
  const { proposal, view, votes: summary } = shown;
  const { effect, thresholds } = proposal;
  const votes = presentTally(shown);
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
    votingPhase: { ...presentPhase(shown, 'voting'), quorum: percentageNumber(thresholds.vote) },
    lockPhase: presentPhase(shown, 'lock'),
    executionPhase: { ...presentPhase(shown, 'execution'), requiredCosigners: proposal.requiredCosigners },
    settings: {
      assets: [...effect.assetIds],
      effects: [{ type: effect.type, assetIds: [...effect.assetIds], terms: presentTerms(effect.terms) }],
    },
    votes,
    eligiblePowerBaseUnits: summary.quorumBase.toString(),
    thresholds: presentThresholds(shown),
    cosigningThreshold: percentageNumber(thresholds.cosigning),
    allowedActions: [...shown.allowedActions],
    ...(ended && { result: { outcome: status, reason: failureReason, tally: votes, ...presentExecuted(shown) } }),
    execution: shown.execution && presentExecution(shown.execution),
    closing: shown.closing && {
      votesRoot: shown.closing.votesRoot,
      transactionHash: shown.closing.transactionHash,
      proof: proofLink(shown.closing.factId),
    },
    proof: proofLink(proposal.id),
    createdBy: proposal.proposer,
    createdAt: isoText(proposal.createdAt),
    updatedAt: isoText(proposal.updatedAt),
  };
}

/** Who had it executed, by which transaction; an attempt that was never sent is nobody's deed. */
function presentExecuted({ execution: shown }: ProposalView) {
  if (!shown || shown.execution.executedBy === null) {
    return { transactionHash: null, executedBy: null, cosigners: [], executedAt: null, cause: null };
  }
  const { execution, transaction } = shown;
  return {
    transactionHash: transaction.hash,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.map(({ wallet }) => wallet),
    executedAt: execution.executedAt === null ? null : isoText(execution.executedAt),
    cause: execution.reason,
  };
}

export function presentOwnPart({ wallet, power, vote }: VotingPosition, decimals: number) {
  return {
    wallet,
    power: wholeTokens(power, decimals),
    powerBaseUnits: power.toString(),
    vote: vote && presentVote(vote),
  };
}

function presentThresholds({
  proposal: { thresholds },
  vault: { terms },
  votes: summary,
  endorsed,
  proposerPower,
}: ProposalView) {
  const { approve, totalVoted } = summary.tally;
  const of = (required: typeof thresholds.vote, part: BaseUnits, whole: BaseUnits) => ({
    required: percentageNumber(required),
    actual: share(part, whole),
  });
  return {
    creation: of(thresholds.creation, proposerPower, terms.ftSupply),
    start: of(thresholds.start, endorsed, terms.ftSupply),
    vote: of(thresholds.vote, totalVoted, summary.quorumBase),
    execution: of(thresholds.execution, approve, totalVoted),
  };
}

function presentPhase({ proposal: { durations, phases }, view }: ProposalView, name: PhaseName) {
  const span = phases?.[name];
  return {
    duration: printDuration(durations[name]),
    startTime: span ? isoText(span.startsAt) : null,
    endTime: span ? isoText(span.endsAt) : null,
    status: view.phaseStatuses[name],
  };
}

function presentTally({ votes: { tally }, vault: { terms } }: ProposalView) {
  const { approve, reject, totalVoted, uniqueVoters } = tally;
  return {
    approve: wholeTokens(approve, terms.ftDecimals),
    reject: wholeTokens(reject, terms.ftDecimals),
    totalVoted: wholeTokens(totalVoted, terms.ftDecimals),
    uniqueVoters,
    approveBaseUnits: approve.toString(),
    rejectBaseUnits: reject.toString(),
    totalVotedBaseUnits: totalVoted.toString(),
  };
}

function presentTerms(terms: object): Record<string, string | null> {
  const entries = Object.entries(terms) as [string, string | bigint | null][];
  return Object.fromEntries(entries.map(([name, term]) => [name, term === null ? null : String(term)]));
}

/** In percent, cut off after two decimals. */
function share(part: BaseUnits, whole: BaseUnits): number {
  return whole === 0n ? 0 : percentageNumber(basisPoints((part * 10_000n) / whole));
}
