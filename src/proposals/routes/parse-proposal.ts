import type { NetworkId } from '../../cardano/transaction.ts';
import type { PhaseDurations } from '../rules/phases.ts';
import { proposalEffectFields } from '../rules/requested-effect.ts';
import type { RequestedThresholds } from '../rules/thresholds.ts';
import { parseDuration } from '../../platform/units/duration.ts';
import type { BasisPoints } from '../../platform/units/money.ts';
import { parsePercentage } from '../../platform/units/percentage.ts';
import type { NewProposalParams } from '../create-proposal.ts';
import { parseEffect } from './effect-request.ts';
import type { ProposalRequest } from './request.ts';

/** Parses the body of a new proposal. Throws the errors of `parseEffect`. */
export function parseProposal(body: ProposalRequest, networkId: NetworkId): NewProposalParams {
  const { title, description } = body.proposal_details;
  return {
    title,
    description,
    effect: parseEffect(body.proposal_details, networkId, proposalEffectFields),
    thresholds: parseThresholds(body),
    requiredCosigners: body.governance_thresholds.required_cosigners,
    durations: parseDurations(body),
  };
}

function parseThresholds({ governance_thresholds: requested }: ProposalRequest): RequestedThresholds {
  const points = (value: number | undefined): BasisPoints | undefined =>
    value === undefined ? undefined : parsePercentage(value);
  return {
    creation: points(requested.creation_threshold),
    start: points(requested.start_threshold),
    vote: points(requested.vote_threshold),
    execution: points(requested.execution_threshold),
    cosigning: points(requested.cosigning_threshold),
  };
}

/** The requested phase durations in seconds. */
function parseDurations({ phases }: ProposalRequest): Partial<PhaseDurations> {
  const seconds = (name: keyof typeof phases) => parseDuration(phases[name] ?? '');
  const [voting, lock, execution] = [
    seconds('voting_duration'),
    seconds('lock_duration'),
    seconds('execution_duration'),
  ];
  return {
    ...(voting !== undefined && { voting }),
    ...(lock !== undefined && { lock }),
    ...(execution !== undefined && { execution }),
  };
}
