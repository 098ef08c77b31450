import { z } from 'zod';
import { isoText } from '../../domain/units/instant.ts';
import { voteMessage } from '../../domain/vote/vote.ts';
import { AmountText, BaseUnitsText, Timestamp } from '../server/fields.ts';
import { voteExample } from './examples.ts';
import { VoteDecisionEnum, VoteStatusEnum } from './enums.ts';
import { wholeTokens } from '../stakes/response.ts';
import { PlatformTransaction, presentAnchor, ProofLink, proofLink } from '../transactions/response.ts';
import type { VoteCast } from '../../services/votes/cast-votes.ts';
import { type Answer, ok } from '../server/answer.ts';
import type { VoteView } from '../../services/votes/read-votes.ts';
import type { VoteInput } from '../../services/votes/vote-input.ts';

/** The spec's Vote; `amount` is whole tokens, exact in base units (design D10). */
export const VoteResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    wallet: z.string(),
    decision: VoteDecisionEnum,
    amount: z.number().describe('Whole tokens it counts with, or counted with before it was REVOKED'),
    amountBaseUnits: BaseUnitsText,
    status: VoteStatusEnum,
    proof: ProofLink.describe('The path where the proof is read that it was cast'),
    fact: z
      .string()
      .describe(
        'The text that is anchored, from which anyone can count again: its hash is a leaf under `closing.votesRoot` while it counts',
      )
      .optional(),
    confirmationTx: z.string().describe('The hash of the anchor that carries it, while that is in a block').optional(),
    castAt: Timestamp.describe('It counts from then on'),
    confirmedAt: Timestamp.describe('When its anchor was found in a block, while it is in one').optional(),
    revokedAt: Timestamp.describe('When it was taken back or replaced').optional(),
    signed: z
      .object({
        message: z.string().describe('The text that was signed'),
        nonce: z.string(),
        signature: z.string().describe('COSE_Sign1 in CBOR hex'),
        key: z.string().describe('COSE_Key in CBOR hex'),
      })
      .describe('What the wallet itself signed, when it did')
      .optional(),
  })
  .meta({ id: 'Vote', examples: [voteExample] });

/** The spec's answer to a vote. */
export const VoteRecorded = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  voter: z.string(),
  transaction: PlatformTransaction,
  vote: z.string().describe('As it was sent'),
  staked_ft_amount: z.number().describe('Whole tokens, as they were sent'),
  status: z.literal('vote_recorded'),
  updated_at: Timestamp.describe('When it was cast'),
  staked_ft_amount_base_units: AmountText.describe('Base units that count, exactly'),
  vote_id: z.uuid(),
  proof: ProofLink,
});

/** How a vote was sent. */
export interface SentVote {
  readonly vote: string;
  readonly amount: string | number;
}

export type RecordedVote = z.input<typeof VoteRecorded>;

export function presentRecorded(
  { proposalId, vaultId }: VoteInput,
  sent: SentVote,
  { vote, transactionHash }: VoteCast,
): Answer<200, RecordedVote> {
  return ok({
    vault_id: vaultId,
    proposal_id: proposalId,
    voter: vote.wallet,
    transaction: presentAnchor(transactionHash),
    vote: sent.vote,
    staked_ft_amount: Number(sent.amount),
    status: 'vote_recorded',
    updated_at: isoText(vote.castAt),
    staked_ft_amount_base_units: vote.amount.toString(),
    vote_id: vote.id,
    proof: proofLink(vote.id),
  });
}

export function presentVote({ vote, anchor, decimals }: VoteView) {
  const { confirmedAt, revokedAt, signed } = vote;
  return {
    id: vote.id,
    proposalId: vote.proposalId,
    wallet: vote.wallet,
    decision: vote.decision,
    amount: wholeTokens(vote.amount, decimals),
    amountBaseUnits: vote.amount.toString(),
    status: vote.status,
    proof: proofLink(vote.id),
    ...(anchor && { fact: anchor.text }),
    ...(confirmedAt !== null && anchor && { confirmationTx: anchor.hash }),
    castAt: isoText(vote.castAt),
    ...(confirmedAt !== null && { confirmedAt: isoText(confirmedAt) }),
    ...(revokedAt !== null && { revokedAt: isoText(revokedAt) }),
    ...(signed && { signed: { message: voteMessage({ ...vote, nonce: signed.nonce }), ...signed } }),
  };
}
