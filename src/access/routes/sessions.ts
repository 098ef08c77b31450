import { z } from 'zod';
import { type Session, listSessions } from '../queries/sessions.ts';
import type { Caller } from '../rules.ts';
import { type LoginContext, issueNonce, logIn, endSession, requireSession } from '../sessions.ts';
import type { ServerContext } from '../../platform/http/app.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { Timestamp, AddressText, CborText, ResourceId } from '../../platform/http/fields.ts';
import { created, noContent, ok, routeFor } from '../../platform/http/route.ts';
import { isoText } from '../../platform/units/time.ts';
import { exampleNonce, exampleWallet } from '../../transactions/routes/examples.ts';

const SessionResource = z
  .object({
    id: z.uuid(),
    address: z.string().describe('Address of the wallet that is logged in.'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.describe('Last use, updated at most once a minute.'),
    expiresAt: Timestamp.describe('Time at which the session ends if it is not used again.'),
    endsAt: Timestamp.describe('Time at which the session ends even if it is used.'),
    current: z.boolean().describe('Whether this request uses the session.'),
  })
  .meta({
    id: 'Session',
    examples: [
      {
        id: '01a1ffab-81a0-71d7-bc2f-7ad9c92e5fb2',
        address: exampleWallet,
        createdAt: '2026-11-21T19:53:12.351Z',
        lastUsedAt: '2026-11-21T19:54:18.786Z',
        expiresAt: '2026-11-21T20:54:18.786Z',
        endsAt: '2026-11-22T07:53:12.351Z',
        current: true,
      },
    ],
  });

function presentSession(
  { id, wallet, createdAt, lastUsedAt, expiresAt, endsAt }: Session,
  caller: Caller,
): z.input<typeof SessionResource> {
  return {
    id,
    address: wallet,
    createdAt: isoText(createdAt),
    lastUsedAt: isoText(lastUsedAt),
    expiresAt: isoText(expiresAt),
    endsAt: isoText(endsAt),
    current: id === caller.sessionId,
  };
}

/** Defines an operation on sessions. Its context is smaller than the api's: a login needs neither the ledger nor Temporal. */
const route = routeFor<ServerContext & LoginContext>();

const createNonceRoute = route({
  method: 'post',
  path: '/auth/nonces',
  operationId: 'createNonce',
  summary: 'Request a login nonce',
  description:
    'Returns a nonce for the wallet to sign. It is valid for five minutes and for one login attempt with this address.',
  success: 'The nonce and its expiry',
  permission: { unrestricted: 'A nonce is useful only to the wallet that can sign it' },
  examples: { wallet: { address: exampleWallet } },
  body: z.strictObject({ address: AddressText.describe('Address of the wallet that logs in, in bech32.') }),
  // A nonce is valid for one login, so a caller cannot use the same one again.
  kind: 'unrecorded change',
  responses: {
    201: Enveloped(
      z.object({
        nonce: z
          .string()
          .describe(
            'The wallet signs `<nonce>:<timestamp>`. The nonce is a sentence that names the purpose and the ' +
              'service, so that the person knows what they sign.',
          )
          .meta({ examples: [exampleNonce] }),
        expiresAt: Timestamp.describe('Expiry of the nonce, in real time.'),
      }),
    ),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ body }, context) {
    const { nonce, expiresAt } = await issueNonce(context, body.address);
    return created(enveloped({ nonce, expiresAt: isoText(expiresAt) }, context.wallClock.now()));
  },
});

const CreateSession = z.strictObject({
  address: AddressText,
  nonce: z.string().min(1).max(300),
  signature: CborText.describe('COSE_Sign1 in CBOR hex, as `signData` returns it.'),
  timestamp: z.int().describe('Milliseconds since 1970 in real time, as in the signed text.'),
  key: CborText.describe('COSE_Key in CBOR hex, as `signData` returns it.'),
});

const createSessionRoute = route({
  method: 'post',
  path: '/auth/sessions',
  operationId: 'createSession',
  summary: 'Log in with a wallet',
  description:
    'Creates a session. First, the wallet signs the text `<nonce>:<timestamp>` with the key of `address` (CIP-30 ' +
    '`signData`, which accepts the text in hex). `timestamp` is the current time in milliseconds since 1970, at ' +
    'most five minutes in the past and 30 seconds in the future.\n\n' +
    'Every attempt consumes the nonce, even if it fails. Send the returned token as `Authorization: Bearer ' +
    '<token>` together with the API key.\n\n' +
    'A wallet can have 20 sessions. Another one ends the session that was unused for the longest time.',
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
  kind: 'unrecorded change',
  responses: {
    201: Enveloped(
      SessionResource.extend({
        token: z.string().describe('Token for `Authorization: Bearer`. Returned only in this response.'),
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

const endCurrentSessionRoute = route({
  method: 'delete',
  path: '/auth/sessions',
  operationId: 'endCurrentSession',
  summary: 'Log out',
  description: 'Ends the session of this request. Its token becomes invalid at once.',
  success: 'The session has ended',
  permission: { unrestricted: 'A session may always end itself' },
  // A repeated request has no session any more and is refused before its key is read.
  kind: 'unrecorded change',
  responses: { 204: null },
  errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
  async handle({ caller }, { unitOfWork, authenticator }) {
    const { wallet, sessionId } = requireSession(caller);
    await unitOfWork((transaction) => endSession(transaction, { wallet, sessionId, apiKeyId: caller.apiKeyId }));
    authenticator.forget({ kind: 'session', id: sessionId });
    return noContent();
  },
});

const endSessionRoute = route({
  method: 'delete',
  path: '/auth/sessions/:sessionId',
  operationId: 'endSession',
  summary: 'End a session',
  description: 'Ends another session of the same wallet. Its token becomes invalid at once.',
  success: 'The session has ended',
  permission: { unrestricted: 'A session can only list and end sessions of its own wallet' },
  params: z.strictObject({ sessionId: ResourceId }),
  responses: { 204: null },
  errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
  async handle({ params: { sessionId }, caller, idempotency }, { unitOfWork, authenticator }) {
    const { wallet } = requireSession(caller);
    const response = await unitOfWork((transaction) =>
      idempotency.once(transaction.tx, async () => {
        await endSession(transaction, { wallet, sessionId, apiKeyId: caller.apiKeyId });
        return noContent();
      }),
    );
    authenticator.forget({ kind: 'session', id: sessionId });
    return response;
  },
});

const listSessionsRoute = route({
  method: 'get',
  path: '/auth/sessions',
  operationId: 'listSessions',
  summary: 'List own sessions',
  description: 'Lists the sessions of the logged-in wallet. `current` marks the session of this request.',
  success: 'A page of sessions',
  permission: { unrestricted: 'A session can only list and end sessions of its own wallet' },
  query: z.strictObject(pageQuery(['createdAt', 'lastUsedAt'])),
  responses: { 200: EnvelopedPage(z.object({ sessions: z.array(SessionResource) })) },
  errors: ['SESSION_REQUIRED'],
  async handle({ query, caller }, { db, wallClock }) {
    const { wallet } = requireSession(caller);
    const now = wallClock.now();
    const { sessions, count } = await listSessions(db, wallet, new Date(now), pageOf(query, 'createdAt:desc'));
    const data = { sessions: sessions.map((session) => presentSession(session, caller)) };
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});

export const sessionRoutes = [
  createNonceRoute,
  createSessionRoute,
  listSessionsRoute,
  endCurrentSessionRoute,
  endSessionRoute,
];
