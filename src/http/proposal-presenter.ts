import { z } from 'zod';
import { printDuration } from '../domain/duration.ts';
import { isoText } from '../domain/instant.ts';
import { type BaseUnits, basisPoints } from '../domain/money.ts';
import { percentageNumber } from '../domain/percentage.ts';
import { failureReasons, proposalStatuses, proposalTypes } from '../domain/proposal.ts';
import { proposalActions } from '../domain/proposal-actions.ts';
import { type PhaseName, phaseStatuses } from '../domain/proposal-phases.ts';
import { ExecutionResource, presentExecution } from './execution-presenter.ts';
import { AmountText, DurationPrinted, Timestamp } from './fields.ts';
import type { OwnPart, ShownProposal } from './proposal-reading.ts';
import { wholeTokens } from './stake-presenter.ts';
import { proofLink } from './transaction-presenter.ts';
import { presentVote, VoteResource } from './vote-presenter.ts';

const Phase = z.object({
  duration: DurationPrinted,
  /** Null until voting opens. */
  startTime: Timestamp.nullable(),
  endTime: Timestamp.nullable(),
  status: z.enum(phaseStatuses),
});

/** What a threshold asks for and what there is, in percent. */
const thresholdsInPercent =
  'Percent, as required and as reached. creation: what the proposer has staked, of the whole supply; start: what endorses, or ' +
  'opened the vote, of the whole supply; vote: what has voted, of eligiblePowerBaseUnits; execution: what approves, of what has voted.';

const whoseActions =
  "What the session's wallet can do now, or the code it would be refused with. A key without a session that acts for any wallet " +
  'reads what the proposal is open to at all; any other key can do nothing.';

const Threshold = z.object({ required: z.number(), actual: z.number() });

const Votes = z.object({
  approve: z.number(),
  reject: z.number(),
  totalVoted: z.number(),
  uniqueVoters: z.int(),
  approveBaseUnits: AmountText,
  rejectBaseUnits: AmountText,
  totalVotedBaseUnits: AmountText,
});

/** The spec's Proposal; power is whole tokens, exact in the fields that say base units (design D10). */
export const ProposalResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    type: z.enum(proposalTypes),
    title: z.string(),
    description: z.string(),
    status: z.enum(proposalStatuses),
    failureReason: z.enum(failureReasons).nullable(),
    phase: z.enum(['draft', 'voting', 'lock', 'execution', 'ended']),
    phaseEndsAt: Timestamp.nullable(),
    overdueSeconds: z.int(),
    draftExpiresAt: Timestamp,
    votingPhase: Phase.extend({ quorum: z.number() }),
    lockPhase: Phase,
    executionPhase: Phase.extend({ requiredCosigners: z.int() }),
    settings: z.object({
      assets: z.array(z.string()),
      effects: z.array(
        z.object({
          type: z.enum(proposalTypes),
          assetIds: z.array(z.string()),
          /** Amounts as decimal text; null where the vote leaves a term open. */
          terms: z.record(z.string(), z.string().nullable()),
        }),
      ),
    }),
    votes: Votes,
    /** All power that can vote. */
    eligiblePowerBaseUnits: AmountText,
    thresholds: z
      .object({ creation: Threshold, start: Threshold, vote: Threshold, execution: Threshold })
      .meta({ description: thresholdsInPercent }),
    cosigningThreshold: z.number(),
    allowedActions: z
      .array(z.object({ action: z.enum(proposalActions), allowed: z.boolean(), reason: z.string().optional() }))
      .meta({ description: whoseActions }),
    result: z
      .object({
        outcome: z.enum(['FAILED', 'EXECUTED']),
        reason: z.enum(failureReasons).nullable(),
        tally: Votes,
        /** Of the execution that ended it, or was to; the rest is null without one. */
        transactionHash: z.string().nullable(),
        executedBy: z.string().nullable(),
        cosigners: z.array(z.string()),
        executedAt: Timestamp.nullable(),
        /** Why the execution failed on the ledger. */
        cause: z.string().nullable(),
      })
      .optional(),
    /** The transaction that was frozen last, and who has signed it. */
    execution: ExecutionResource.nullable(),
    /** What is anchored of the vote once it is closed. */
    closing: z
      .object({
        /** Of the Merkle tree over the leaves of all live votes, sorted as hex; null when there are none. */
        votesRoot: z.string().nullable(),
        transactionHash: z.string(),
        /** Where the proof of outcome, tally and root is read. */
        proof: z.string(),
      })
      .nullable(),
    /** Where the proof is read of what was proposed. */
    proof: z.string(),
    createdBy: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Proposal' });

/** The reader's own vote and the power it could use. */
export const OwnPartResource = z.object({
  wallet: z.string(),
  power: z.number(),
  powerBaseUnits: AmountText,
  vote: VoteResource.nullable(),
});

export function presentProposal(shown: ShownProposal): z.input<typeof ProposalResource> {
  const { proposal, view, ballot } = shown;
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
    eligiblePowerBaseUnits: ballot.quorumBase.toString(),
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
function presentExecuted({ execution: shown }: ShownProposal) {
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

export function presentOwnPart({ wallet, power, vote, carried }: OwnPart, decimals: number) {
  return {
    wallet,
    power: wholeTokens(power, decimals),
    powerBaseUnits: power.toString(),
    vote: vote && presentVote({ vote, carried, decimals }),
  };
}

function presentThresholds({
  proposal: { thresholds },
  vault: { terms },
  ballot,
  endorsed,
  proposerPower,
}: ShownProposal) {
  const { approve, totalVoted } = ballot.tally;
  const of = (required: typeof thresholds.vote, part: BaseUnits, whole: BaseUnits) => ({
    required: percentageNumber(required),
    actual: share(part, whole),
  });
  return {
    creation: of(thresholds.creation, proposerPower, terms.ftSupply),
    start: of(thresholds.start, endorsed, terms.ftSupply),
    vote: of(thresholds.vote, totalVoted, ballot.quorumBase),
    execution: of(thresholds.execution, approve, totalVoted),
  };
}

function presentPhase({ proposal: { durations, phases }, view }: ShownProposal, name: PhaseName) {
  const span = phases?.[name];
  return {
    duration: printDuration(durations[name]),
    startTime: span ? isoText(span.startsAt) : null,
    endTime: span ? isoText(span.endsAt) : null,
    status: view.phaseStatuses[name],
  };
}

function presentTally({ ballot: { tally }, vault: { terms } }: ShownProposal) {
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
