import { z } from 'zod';
import { logIn } from '../../login.ts';
import { created } from '../../../platform/http/route-response.ts';
import { exampleNonce } from '../../../transactions/routes/example-nonce.ts';
import { exampleWallet } from '../../../transactions/routes/example-wallet.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { AddressText, CborText } from '../../../platform/http/fields.ts';
import { presentSession, SessionResource } from './response.ts';
import { route } from './define-session-route.ts';

const CreateSession = z.strictObject({
  address: AddressText,
  nonce: z.string().min(1).max(300),
  signature: CborText.describe('COSE_Sign1 in CBOR hex, as signData returns it'),
  timestamp: z.int().describe('Milliseconds since 1970 in real time, as in the signed text'),
  key: CborText.describe('COSE_Key in CBOR hex, as signData returns it'),
});

export const createSessionRoute = route({
  method: 'post',
  path: '/auth/sessions',
  operationId: 'createSession',
  summary: 'Log in with the signature of a wallet',
  description:
    'The wallet signs the text `<nonce>:<timestamp>` with the key of `address` (CIP-30 signData, which takes the text ' +
    'in hex). `timestamp` is the current time in milliseconds since 1970. It may be at ' +
    'most five minutes in the past and 30 seconds in the future. Every attempt consumes the nonce, even if it fails. ' +
    'Send the token as `Authorization: Bearer <token>` together with the API key. A wallet has at most 20 sessions: one ' +
    'more ends the session that was used the longest ago.',
  success: 'The new session and its token',
  examples: {
    wallet: {
      address: exampleWallet,
      nonce: exampleNonce,
      timestamp: 1_795_190_400_000,
      signature: '84582aa201276761646472657373' + '00'.repeat(32),
      key: 'a4010103272006215820' + '00'.repeat(32),
    },
  },
  permission: { unrestricted: 'The signature of the wallet proves who logs in' },
  body: CreateSession,
  // A stored response would contain the token in clear text.
  idempotent: false,
  responses: {
    201: Enveloped(
      SessionResource.extend({
        token: z.string().describe('For `Authorization: Bearer`; returned only in this response'),
      }),
    ),
  },
  errors: [
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INVALID_NONCE',
    'SIGNATURE_EXPIRED',
    'SIGNATURE_NOT_YET_VALID',
    'INVALID_LOGIN_SIGNATURE',
  ],
  // Each code tells as much as its field: an attacker learns nothing more.
  errorFields: {
    INVALID_NONCE: 'nonce',
    SIGNATURE_EXPIRED: 'timestamp',
    SIGNATURE_NOT_YET_VALID: 'timestamp',
    INVALID_LOGIN_SIGNATURE: 'signature',
  },
  async handle({ body, caller }, context) {
    const { session, token, ended } = await logIn(context, body, caller.apiKeyId);
    for (const id of ended) context.authenticator.forget({ kind: 'session', id });
    const data = { ...presentSession(session, caller), token };
    return { ...created(enveloped(data, context.wallClock.now())), issuedSession: token };
  },
});
