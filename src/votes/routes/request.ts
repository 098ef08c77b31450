import { z } from 'zod';
import { parseDecision } from '../rules/vote.ts';
import { AddressText, CborText, ParsedWord, TokenAmount } from '../../platform/http/fields.ts';

const Nonce = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,64}$/, 'At most 64 of A-Z a-z 0-9 . _ ~ -')
  .describe(
    'With `nonce`, `signature` and `key`, the wallet signs its vote itself: CIP-30 signData of the text ' +
      '`vote:<proposalId>:<APPROVE|REJECT>:<amount in base units>:<nonce>` with the key of `wallet_address`. ' +
      'Give all three or none. A wallet can use a nonce for one vote on the proposal only.',
  );

/** Body of POST /proposals/{proposalId}/votes: the spec's fields, and the optional signature of the wallet. */
export const CastVote = z
  .strictObject({
    voter: z.strictObject({ wallet_address: AddressText, staked_ft_amount: TokenAmount }),
    vote: ParsedWord(['yes', 'no', 'approve', 'reject'], parseDecision),
    nonce: Nonce.optional(),
    signature: CborText.describe('COSE_Sign1 in CBOR hex').optional(),
    key: CborText.describe('COSE_Key in CBOR hex').optional(),
  })
  .superRefine(({ nonce, signature, key }, context) => {
    const missing = Object.entries({ nonce, signature, key }).filter(([, value]) => value === undefined);
    if (missing.length === 3) return;
    for (const [field] of missing) context.addIssue({ code: 'custom', path: [field], message: 'A signature needs it' });
  })
  .meta({ id: 'CastVote' });
