import { z } from 'zod';
import { RefusalCode } from '../server/enums.ts';
import { ExecutionResource } from '../executions/resource.ts';
import { AmountText, DurationPrinted, Timestamp, WholeTokens } from '../server/fields.ts';
import {
  FailureReasonEnum,
  PhaseStatusEnum,
  ProposalActionEnum,
  ProposalPhaseEnum,
  ProposalStatusEnum,
  ProposalTypeEnum,
} from './enums.ts';
import { proposalExample } from './examples.ts';
import { thresholdTexts } from '../server/descriptions.ts';
import { ProofLink } from '../transactions/response.ts';
import { VoteResource } from '../votes/response.ts';

const Phase = z.object({
  duration: DurationPrinted,
  startTime: Timestamp.nullable().describe('Null until voting opens, which fixes all three phases'),
  endTime: Timestamp.nullable().describe('Null until voting opens; no longer part of the phase'),
  status: PhaseStatusEnum,
});

const thresholdsInPercent =
  'Percent, as required and as reached. creation: what the proposer has staked, of the whole supply; start: what endorses, or ' +
  'opened the vote, of the whole supply; vote: what has voted, of eligiblePowerBaseUnits; execution: what approves, of what has voted.';

const whoseActions =
  "What the session's wallet can do now, or the code it would be refused with. A key without a session that acts for any wallet " +
  'reads what the proposal is open to at all; any other key can do nothing.';

const Threshold = z.object({
  required: z.number().describe('Percent; this much is enough'),
  actual: z.number().describe('Percent, cut off after two decimals; what is enough is judged exactly'),
});

const Votes = z.object({
  approve: WholeTokens,
  reject: WholeTokens,
  totalVoted: WholeTokens,
  uniqueVoters: z.int().describe('Wallets whose vote counts'),
  approveBaseUnits: AmountText.describe('Base units that approve'),
  rejectBaseUnits: AmountText.describe('Base units that reject'),
  totalVotedBaseUnits: AmountText.describe('The sum of both'),
});

const terms =
  'What the vote fixed, null where it left a term open: price (lovelace for everything), buyerAddress; policyId, assetNameHex, ' +
  'quantity (base units), price, sellerAddress; direction, stakingAddress; remainingAssetsTo, unclaimedLovelaceTo';

const Result = z.object({
  outcome: z.enum(['FAILED', 'EXECUTED']).describe('As `status`'),
  reason: FailureReasonEnum.nullable().describe('As `failureReason`'),
  tally: Votes,
  transactionHash: z
    .string()
    .nullable()
    .describe('Of the execution that ended it, or was to; null where none was sent'),
  executedBy: z.string().nullable().describe('The wallet that had it sent; null where none was sent'),
  cosigners: z.array(z.string()).describe('Wallets that cosigned it; empty where none was sent'),
  executedAt: Timestamp.nullable().describe('When it was found in a block; null unless it is in one'),
  cause: z.string().nullable().describe('What the ledger said where the execution failed, for people; else null'),
});

const Closing = z.object({
  votesRoot: z
    .string()
    .nullable()
    .describe('Of the Merkle tree over the leaves of all votes that count, sorted as hex; null when there are none'),
  transactionHash: z.string().describe('The anchor that carries it'),
  proof: ProofLink,
});

/** The spec's Proposal; power is whole tokens, exact in the fields that say base units (design D10). */
export const ProposalResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    type: ProposalTypeEnum,
    title: z.string(),
    description: z.string(),
    status: ProposalStatusEnum,
    failureReason: FailureReasonEnum.nullable().describe('Null unless it has FAILED'),
    phase: ProposalPhaseEnum,
    phaseEndsAt: Timestamp.nullable().describe('Null when it has ended'),
    overdueSeconds: z.int().describe('How late a worker is with what the clock has decided; 0 when on time'),
    draftExpiresAt: Timestamp.describe('A draft fails then; of no meaning once voting has opened'),
    votingPhase: Phase.extend({ quorum: z.number().describe(thresholdTexts.vote) }),
    lockPhase: Phase,
    executionPhase: Phase.extend({
      requiredCosigners: z.int().describe('How many eligible cosigners an execution has to name, all of whom sign'),
    }),
    settings: z.object({
      assets: z
        .array(z.string())
        .describe('Ids of the assets of the vault that it is about; none to buy or to liquidate'),
      effects: z.array(
        z.object({
          type: ProposalTypeEnum,
          assetIds: z.array(z.string()).describe('As `assets`'),
          terms: z.record(z.string(), z.string().nullable()).describe(terms),
        }),
      ),
    }),
    votes: Votes.describe('The votes that count: as they stand, and once voting is closed as they were counted'),
    eligiblePowerBaseUnits: AmountText.describe(
      'All base units that can vote: stakes that were final before voting opened and are held; 0 until it opens',
    ),
    thresholds: z
      .object({ creation: Threshold, start: Threshold, vote: Threshold, execution: Threshold })
      .describe(thresholdsInPercent),
    cosigningThreshold: z.number().describe(thresholdTexts.cosigning),
    allowedActions: z
      .array(
        z.object({
          action: ProposalActionEnum,
          allowed: z.boolean().describe('Whether who asks can do it now'),
          reason: RefusalCode.describe('The code it would be refused with; absent when it is allowed').optional(),
        }),
      )
      .describe(whoseActions),
    result: Result.describe('Once it has ended').optional(),
    execution: ExecutionResource.nullable().describe(
      'The transaction that was frozen last, and who has signed it; null where none was',
    ),
    closing: Closing.nullable().describe(
      'What is anchored of the vote: outcome, tally and root. Null until voting is closed and the anchor is built',
    ),
    proof: ProofLink.describe('The path where the proof is read of what was proposed'),
    createdBy: z.string().describe('The wallet that proposed it'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('When its status last changed, or its execution was sent'),
  })
  .meta({ id: 'Proposal', examples: [proposalExample] });

/** The reader's own vote and the power it could use. */
export const OwnPartResource = z.object({
  wallet: z.string().describe('Of the session'),
  power: z.number().describe('Whole tokens it can vote with; 0 until voting opens'),
  powerBaseUnits: AmountText.describe('The same in base units, exactly'),
  vote: VoteResource.nullable().describe('Its vote that counts; null when there is none'),
});
