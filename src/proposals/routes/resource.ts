import { z } from 'zod';
import { ExecutionResource } from '../../executions/routes/resource.ts';
import { thresholdTexts } from '../../platform/http/descriptions.ts';
import { RefusalCode } from '../../platform/http/enums.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { ProofLink } from '../../transactions/routes/response.ts';
import {
  FailureReasonEnum,
  ProposalActionEnum,
  ProposalPhaseEnum,
  ProposalStatusEnum,
  ProposalTypeEnum,
} from './enums.ts';
import { proposalExample } from './examples.ts';
import { PhaseResource } from './phase-response.ts';
import { ResultResource } from './result-response.ts';
import { SettingsResource } from './settings-resource.ts';
import { TallyResource } from './tally-response.ts';
import { ThresholdsResource } from './thresholds-response.ts';

const ClosingResource = z.object({
  votesRoot: z
    .string()
    .nullable()
    .describe('Root of the Merkle tree over the leaves of all votes that count, sorted as hex; `null` without votes'),
  transactionHash: z.string().describe('Hash of the transaction that anchors the result of the vote'),
  proof: ProofLink,
});

const AllowedAction = z.object({
  action: ProposalActionEnum,
  allowed: z.boolean().describe('Whether the caller can do it now'),
  reason: RefusalCode.nullable().describe('Error code if it is not allowed; `null` if it is'),
});

/** The spec's Proposal. Voting power is in whole tokens; the fields in base units are exact (design D10). */
export const ProposalResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    type: ProposalTypeEnum,
    title: z.string(),
    description: z.string(),
    status: ProposalStatusEnum,
    failureReason: FailureReasonEnum.nullable().describe('`null` unless the proposal has FAILED'),
    phase: ProposalPhaseEnum,
    phaseEndsAt: Timestamp.nullable().describe('`null` when the proposal has ended'),
    overdueSeconds: z
      .int()
      .describe('Seconds since the end of a phase whose next step no worker has stored yet; 0 if nothing is late'),
    draftExpiresAt: Timestamp.describe('A draft fails at this time; without effect once voting has opened'),
    votingPhase: PhaseResource.extend({ quorum: z.number().describe(thresholdTexts.vote) }),
    lockPhase: PhaseResource,
    executionPhase: PhaseResource.extend({
      requiredCosigners: z
        .int()
        .describe(
          'Number of eligible cosigners that an execution must name at least; as many of those it names sign, or more if its request says so. It may rise when the vote ends: ' +
            'then those who voted and may cosign under the threshold of the vault are counted, up to the number of the vault',
        ),
    }),
    settings: SettingsResource,
    votes: TallyResource.describe('Votes that count: the current votes; after voting, the votes that were counted'),
    eligiblePowerBaseUnits: AmountText.describe(
      'All base units that can vote: stakes that were final before voting opened and are still held; 0 until voting opens',
    ),
    circulatingBaseUnits: AmountText.describe(
      'Base units that holders have: the supply without what the settlement gave to the liquidity address or kept in custody; ' +
        '0 for votes that were counted before there was a minimum turnout',
    ),
    thresholds: ThresholdsResource,
    cosigningThreshold: z.number().describe(thresholdTexts.cosigning),
    allowedActions: z
      .array(AllowedAction)
      .describe(
        "What the session's wallet can do now, or the error code it would get. For a key without a session that acts for any " +
          'wallet: what its permissions and the phase of the proposal allow. Any other key can do nothing.',
      ),
    result: ResultResource.describe('Present once the proposal has ended').optional(),
    execution: ExecutionResource.nullable().describe(
      'Last frozen transaction and its signatures; `null` if none was frozen',
    ),
    closing: ClosingResource.nullable().describe(
      'Anchored result of the vote: outcome, tally and root. `null` until voting is closed and the anchor is built',
    ),
    proof: ProofLink.describe('Path of the inclusion proof of the proposal as it was created'),
    createdBy: z.string().describe('Wallet of the proposer'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('When its status last changed, or its execution was submitted'),
  })
  .meta({ id: 'Proposal', examples: [proposalExample] });
