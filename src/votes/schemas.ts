import { z } from 'zod';
import { canonicalJson } from '../anchoring/rules/merkle.ts';
import {
  enumSchema,
  AddressText,
  CborText,
  ParsedWord,
  TokenAmount,
  AmountText,
  Timestamp,
  BaseUnitsText,
} from '../platform/http/fields.ts';
import { type RouteResponse, ok } from '../platform/http/route.ts';
import { isoText } from '../platform/units/time.ts';
import { wholeTokens } from '../staking/schemas.ts';
import { investor } from '../transactions/routes/examples.ts';
import { inSpecForm, presentPending, ProofLink, proofLink, SpecTransaction } from '../transactions/routes/response.ts';
import type { VoteCast } from './cast-votes.ts';
import type { ListedVote } from './queries/votes.ts';
import { voteDecisions, voteStatuses, parseDecision, voteMessage } from './rules.ts';
import type { VoteInput } from './vote-input.ts';

const VoteDecisionEnum = enumSchema('VoteDecision', voteDecisions, {
  APPROVE: 'requested as `yes` or `approve`',
  REJECT: 'requested as `no` or `reject`',
});

const VoteStatusEnum = enumSchema('VoteStatus', voteStatuses, {
  CAST: 'counts. The transaction that anchors it is not in a block yet.',
  CONFIRMED: 'counts. The transaction that anchors it is in a block.',
  REVOKED: 'no longer counts: revoked, or replaced by a later vote of the wallet',
});

const Nonce = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,64}$/, 'Must be at most 64 characters of A-Z a-z 0-9 . _ ~ -')
  .describe(
    'Optional. With `nonce`, `signature` and `key`, the wallet signs its vote itself: CIP-30 `signData` of the ' +
      'text `vote:<proposalId>:<APPROVE|REJECT>:<amount in base units>:<nonce>` with the key of `wallet_address`. ' +
      'Send all three or none. Use a new nonce for each vote on the proposal.',
  );

/** Body of POST /proposals/{proposalId}/votes: the spec's fields, and the optional signature of the wallet. */
export const CastVote = z
  .strictObject({
    voter: z.strictObject({ wallet_address: AddressText, staked_ft_amount: TokenAmount }),
    vote: ParsedWord(['yes', 'no', 'approve', 'reject'], parseDecision),
    nonce: Nonce.optional(),
    signature: CborText.describe('COSE_Sign1 in CBOR hex.').optional(),
    key: CborText.describe('COSE_Key in CBOR hex.').optional(),
  })
  .superRefine(({ nonce, signature, key }, context) => {
    const missing = Object.entries({ nonce, signature, key }).filter(([, value]) => value === undefined);
    if (missing.length === 3) return;
    for (const [field] of missing)
      context.addIssue({
        code: 'custom',
        path: [field],
        message: 'Required with the other two of `nonce`, `signature` and `key`.',
      });
  })
  .meta({ id: 'CastVote' });

/** The spec's response to a vote. */
export const VoteRecorded = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  voter: z.string(),
  transaction: SpecTransaction,
  vote: z.string().describe('Cosigners of the request.'),
  staked_ft_amount: z.number().describe('Whole tokens, as in the request.'),
  status: z.literal('vote_recorded'),
  updated_at: Timestamp.describe('Time at which the vote was cast.'),
  staked_ft_amount_base_units: AmountText.describe('Exact amount in base units.'),
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

// Recorded on a development stack.

const voteExample = {
  id: '01a1ffab-bca3-7191-b122-b892674b81e1',
  proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  wallet: investor,
  decision: 'APPROVE',
  amount: 271428.571429,
  amountBaseUnits: '271428571429',
  status: 'CONFIRMED',
  proof: '/api/v1/anchors/01a1ffab-bca3-7191-b122-b892674b81e1/proof',
  fact: canonicalJson({
    amount: '271428571429',
    castAt: '2026-11-23T19:55:18.441Z',
    decision: 'APPROVE',
    kind: 'vote_cast',
    proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
    replaces: '01a1ffab-bc3f-71f0-9cb9-63bb61080ceb',
    vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
    voteId: '01a1ffab-bca3-7191-b122-b892674b81e1',
    wallet: investor,
  }),
  confirmationTx: '880df36c92509726eefe4310d995591738a3588cb0c82a4958a4cb149f41aa59',
  castAt: '2026-11-23T19:55:18.441Z',
  confirmedAt: '2026-11-23T19:55:18.840Z',
  signed: null,
};

/** The spec's Vote. `amount` is in whole tokens; the field in base units is exact (design D10). */
export const VoteResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    wallet: z.string(),
    decision: VoteDecisionEnum,
    amount: z.number().describe('Voting power of the vote in whole tokens. A REVOKED vote keeps its amount.'),
    amountBaseUnits: BaseUnitsText,
    status: VoteStatusEnum,
    proof: ProofLink,
    fact: z
      .string()
      .nullable()
      .describe(
        'Anchored text of the vote. `null` until its anchor is built. Anyone can recount the votes from these ' +
          'texts. While the vote counts, the hash of the text is a leaf under `closing.votesRoot`.',
      ),
    confirmationTx: z
      .string()
      .describe('Hash of the transaction that anchors the vote. Omitted while it is in no block.')
      .optional(),
    castAt: Timestamp.describe('Time at which the vote was cast. It counts from then on.'),
    confirmedAt: Timestamp.describe('Time at which the anchor was found in a block. Omitted before.').optional(),
    revokedAt: Timestamp.describe('Time at which the vote was revoked or replaced.').optional(),
    signed: z
      .object({
        message: z.string().describe('Signed text.'),
        nonce: z.string(),
        signature: z.string().describe('COSE_Sign1 in CBOR hex.'),
        key: z.string().describe('COSE_Key in CBOR hex.'),
      })
      .nullable()
      .describe('Signature of the wallet. `null` if the wallet did not sign the vote itself.'),
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
