import { z } from 'zod';
import { isoText } from '../domain/instant.ts';
import { voteDecisions, voteMessage, voteStatuses } from '../domain/vote.ts';
import type { CarriedFact } from '../store/anchors.ts';
import type { Vote } from '../store/votes.ts';
import { AmountText, Timestamp } from './fields.ts';
import { wholeTokens } from './stake-presenter.ts';
import { proofLink } from './transaction-presenter.ts';

/** The spec's Vote; `amount` is whole tokens, exact in base units (design D10). */
export const VoteResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    wallet: z.string(),
    decision: z.enum(voteDecisions),
    amount: z.number(),
    amountBaseUnits: AmountText,
    status: z.enum(voteStatuses),
    /** Where its inclusion proof is read. */
    proof: z.string(),
    /** The canonical text that is anchored; the root over all live votes is made of it when voting closes. */
    fact: z.string().optional(),
    /** The anchor that carries it, once it is in a block. */
    confirmationTx: z.string().optional(),
    castAt: Timestamp,
    confirmedAt: Timestamp.optional(),
    revokedAt: Timestamp.optional(),
    /** What the wallet itself signed, when it did. */
    signed: z.object({ message: z.string(), nonce: z.string(), signature: z.string(), key: z.string() }).optional(),
  })
  .meta({ id: 'Vote' });

interface ShownVote {
  readonly vote: Vote;
  readonly carried: CarriedFact | undefined;
  readonly decimals: number;
}

export function presentVote({ vote, carried, decimals }: ShownVote) {
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
    ...(carried && { fact: carried.text }),
    ...(confirmedAt !== null && carried && { confirmationTx: carried.hash }),
    castAt: isoText(vote.castAt),
    ...(confirmedAt !== null && { confirmedAt: isoText(confirmedAt) }),
    ...(revokedAt !== null && { revokedAt: isoText(revokedAt) }),
    ...(signed && { signed: { message: voteMessage({ ...vote, nonce: signed.nonce }), ...signed } }),
  };
}
