import { z } from 'zod';
import { voteDecisions } from '../../votes/rules/vote.ts';
import { AmountText } from '../../platform/http/fields.ts';
import { ProposalStatusEnum, ProposalTypeEnum } from '../../proposals/routes/enums.ts';

const amount = AmountText.describe('Base units of the token');
const proposalId = z.uuid().describe('The proposal');
const stake = z.looseObject({ stakeId: z.uuid().describe('The stake'), amountBaseUnits: amount });
const claim = z.looseObject({
  claimId: z.uuid().describe('The claim'),
  amountBaseUnits: amount,
  payoutLovelace: AmountText.describe('Lovelace that the tokens bring'),
});
const votes = z.looseObject({ proposalId, votes: z.int().describe('How many votes') });
const vote = z.looseObject({ voteId: z.uuid().describe('The vote'), proposalId });
const execution = z.looseObject({ proposalId, executionId: z.uuid().describe('The execution') });
const cause = z.string().describe('Why');
const cosignedExecution = execution.extend({
  type: ProposalTypeEnum,
  cosigners: z
    .array(z.string())
    .describe('Wallets named to cosign; `requiredCosigners` of the execution says how many of them have to sign'),
});
const executionOnLedger = execution.extend({
  type: ProposalTypeEnum,
  assetIds: z.array(z.string()).describe('Assets that it is about'),
  cause: cause.optional(),
});

/** What events of stakes, claims, proposals, votes and executions say. */
export const governanceEventData = {
  STAKE_STARTED: stake,
  STAKE_CONFIRMED: stake,
  STAKE_FINAL: stake,
  STAKE_ROLLED_BACK: stake,
  STAKE_EXPIRED: stake,
  STAKE_RETURN_STARTED: stake,
  STAKE_RELEASED: stake,
  STAKE_RECLAIMED: stake,
  STAKE_RETURN_ROLLED_BACK: stake,
  STAKE_RETURN_EXPIRED: stake,
  STAKE_UNLOCKED: stake,
  CLAIM_STARTED: claim,
  CLAIM_CONFIRMED: claim,
  CLAIM_ROLLED_BACK: claim,
  CLAIM_EXPIRED: claim,
  PROPOSAL_CREATED: z.looseObject({
    proposalId,
    type: ProposalTypeEnum,
    title: z.string().describe('Its title'),
    status: ProposalStatusEnum,
  }),
  PROPOSAL_ENDORSED: z.looseObject({
    proposalId,
    powerBaseUnits: AmountText.describe('Voting power of all who endorse it, in base units'),
  }),
  PROPOSAL_STATUS_CHANGED: z.looseObject({
    proposalId,
    status: ProposalStatusEnum,
    reason: z
      .string()
      .nullable()
      .describe(
        'Why: a `ProposalFailure` when FAILED; `rolled_back`, or `execution_failed` of this execution, when PASSED again; null for the usual course',
      ),
  }),
  VOTE_CAST: vote.extend({
    decision: z.enum(voteDecisions).describe('How'),
    amountBaseUnits: AmountText.describe('Voting power, in base units'),
    replaces: z.string().nullable().describe('The vote of the same wallet that it replaces; null for the first'),
  }),
  VOTE_REVOKED: vote,
  VOTES_CONFIRMED: votes,
  VOTES_ROLLED_BACK: votes,
  EXECUTION_FROZEN: cosignedExecution,
  EXECUTION_VOIDED: execution.extend({ cause }),
  EXECUTION_SENT: cosignedExecution,
  EXECUTION_CONFIRMED: executionOnLedger,
  EXECUTION_ROLLED_BACK: executionOnLedger,
  EXECUTION_FAILED: executionOnLedger,
  EXECUTION_LANDED_LATE: executionOnLedger,
};
