import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import type { VoteCast } from '../cast-votes.ts';
import type { VoteInput } from '../vote-input.ts';
import { type RouteResponse, ok } from '../../platform/http/route-response.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import {
  inSpecForm,
  presentPending,
  ProofLink,
  proofLink,
  SpecTransaction,
} from '../../transactions/routes/response.ts';

/** The spec's response to a vote. */
export const VoteRecorded = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  voter: z.string(),
  transaction: SpecTransaction,
  vote: z.string().describe('As in the request'),
  staked_ft_amount: z.number().describe('Whole tokens, as in the request'),
  status: z.literal('vote_recorded'),
  updated_at: Timestamp.describe('When the vote was cast'),
  staked_ft_amount_base_units: AmountText.describe('Exact amount in base units'),
  vote_id: z.uuid(),
  proof: ProofLink,
});

/** The fields of a request that its response repeats. */
export interface SentVote {
  readonly vote: string;
  readonly amount: string | number;
}

export type RecordedVote = z.input<typeof VoteRecorded>;

export function presentRecordedVote(
  { proposalId, vaultId }: VoteInput,
  sent: SentVote,
  { vote, transactionHash }: VoteCast,
): RouteResponse<200, RecordedVote> {
  return ok({
    vault_id: vaultId,
    proposal_id: proposalId,
    voter: vote.wallet,
    transaction: inSpecForm(presentPending(transactionHash)),
    vote: sent.vote,
    staked_ft_amount: Number(sent.amount),
    status: 'vote_recorded',
    updated_at: isoText(vote.castAt),
    staked_ft_amount_base_units: vote.amount.toString(),
    vote_id: vote.id,
    proof: proofLink(vote.id),
  });
}
