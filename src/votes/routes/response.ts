import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { voteMessage } from '../rules/vote.ts';
import type { ListedVote } from '../queries/listed-votes.ts';
import { BaseUnitsText, Timestamp } from '../../platform/http/fields.ts';
import { wholeTokens } from '../../staking/routes/response.ts';
import { ProofLink, proofLink } from '../../transactions/routes/response.ts';
import { VoteDecisionEnum, VoteStatusEnum } from './enums.ts';
import { voteExample } from './examples.ts';

/** The spec's Vote. `amount` is in whole tokens; the field in base units is exact (design D10). */
export const VoteResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    wallet: z.string(),
    decision: VoteDecisionEnum,
    amount: z.number().describe('Voting power of the vote in whole tokens; a REVOKED vote keeps its amount'),
    amountBaseUnits: BaseUnitsText,
    status: VoteStatusEnum,
    proof: ProofLink,
    fact: z
      .string()
      .nullable()
      .describe(
        '`null` until its anchor is built. Anchored text of the vote; anyone can recount the votes from these texts. While the vote counts, the hash of the text is a leaf under `closing.votesRoot`',
      ),
    confirmationTx: z
      .string()
      .describe('Hash of the transaction that anchors the vote; absent while it is in no block')
      .optional(),
    castAt: Timestamp.describe('When the vote was cast; it counts from this time on'),
    confirmedAt: Timestamp.describe('When the anchor was found in a block; absent while it is in none').optional(),
    revokedAt: Timestamp.describe('When the vote was revoked or replaced').optional(),
    signed: z
      .object({
        message: z.string().describe('Signed text'),
        nonce: z.string(),
        signature: z.string().describe('COSE_Sign1 in CBOR hex'),
        key: z.string().describe('COSE_Key in CBOR hex'),
      })
      .nullable()
      .describe('Signature of the wallet; `null` if the wallet did not sign the vote itself'),
  })
  .meta({ id: 'Vote', examples: [voteExample] });

export function presentVote({ vote, anchor, decimals }: ListedVote) {
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
    fact: anchor?.text ?? null,
    ...(confirmedAt !== null && anchor && { confirmationTx: anchor.hash }),
    castAt: isoText(vote.castAt),
    ...(confirmedAt !== null && { confirmedAt: isoText(confirmedAt) }),
    ...(revokedAt !== null && { revokedAt: isoText(revokedAt) }),
    signed: signed && { message: voteMessage({ ...vote, nonce: signed.nonce }), ...signed },
  };
}
