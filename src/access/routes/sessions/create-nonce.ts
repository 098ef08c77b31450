import { z } from 'zod';
import { issueNonce } from '../../login.ts';
import { isoText } from '../../../platform/units/instant.ts';
import { created } from '../../../platform/http/route-response.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { AddressText, Timestamp } from '../../../platform/http/fields.ts';
import { exampleNonce } from '../../../transactions/routes/example-nonce.ts';
import { exampleWallet } from '../../../transactions/routes/example-wallet.ts';
import { route } from './define-session-route.ts';

export const createNonceRoute = route({
  method: 'post',
  path: '/auth/nonces',
  operationId: 'createNonce',
  summary: 'Request a login nonce',
  description:
    'Returns a nonce that the wallet signs to log in. It is valid for five minutes and for one login attempt with this address.',
  success: 'The nonce and its expiry',
  permission: { unrestricted: 'A nonce is of use only to the wallet that can sign it' },
  examples: { wallet: { address: exampleWallet } },
  body: z.strictObject({ address: AddressText.describe('Address of the wallet that logs in, in bech32') }),
  // A nonce is valid for one login, so a caller cannot use the same one again.
  idempotent: false,
  responses: {
    201: Enveloped(
      z.object({
        nonce: z
          .string()
          .describe(
            'The wallet signs `<nonce>:<timestamp>`. It is a sentence that names the purpose and the service, for the person who signs',
          )
          .meta({ examples: [exampleNonce] }),
        expiresAt: Timestamp.describe('Real time; the nonce is invalid from then on'),
      }),
    ),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ body }, context) {
    const { nonce, expiresAt } = await issueNonce(context, body.address);
    return created(enveloped({ nonce, expiresAt: isoText(expiresAt) }, context.wallClock.now()));
  },
});
