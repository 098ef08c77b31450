import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import { issueNonce, logIn, type LoginContext } from '../../auth/login.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isoText } from '../../domain/units/instant.ts';
import { recordAudit } from '../../store/audit-log.ts';
import { deleteSession, listSessions, type Session } from '../../store/sessions.ts';
import { type Answer, created, noContent, ok } from '../server/answer.ts';
import type { ServerContext } from '../server/app.ts';
import { EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { exampleWallet } from '../server/example-wallet.ts';
import { AddressText, CborText, ResourceId, Timestamp } from '../server/fields.ts';
import type { Idempotency } from '../../services/idempotency/idempotency.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { routeFor } from '../server/route.ts';

type AuthContext = ServerContext & LoginContext;

// Narrower than the api's context: logging in needs neither ledger nor Temporal.
const route = routeFor<AuthContext>();

const postNonce = route({
  method: 'post',
  path: '/auth/nonces',
  operationId: 'createNonce',
  summary: 'Ask for a nonce that a wallet signs to log in',
  description:
    'Good for one attempt to log in with this address, within five minutes of real time (not of the development ' +
    'clock).',
  answers: 'The nonce and when it expires',
  body: z.strictObject({ address: AddressText }),
  // A nonce is good for one login; the same one again would be of no use.
  idempotent: false,
  responses: {
    201: z.object({
      nonce: z.string().describe('What the wallet signs, with a timestamp behind it'),
      expiresAt: Timestamp.describe('Real time; it is good for nothing from then on'),
    }),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ body }, context) {
    const { nonce, expiresAt } = await issueNonce(context, body.address);
    return unstored(created({ nonce, expiresAt: isoText(expiresAt) }));
  },
});

const SessionResource = z
  .object({
    id: z.uuid(),
    address: z.string().describe('The wallet that is logged in'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.describe('Noted once a minute'),
    expiresAt: Timestamp.describe('When it ends if it is not used before'),
    endsAt: Timestamp.describe('When it ends however much it is used'),
    current: z.boolean().describe('Whether it is the session of this request'),
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

const postSession = route({
  method: 'post',
  path: '/auth/sessions',
  operationId: 'createSession',
  summary: 'Log a wallet in with its signature of <nonce>:<timestamp>',
  description:
    'The wallet signs the text `<nonce>:<timestamp>` with the key of `address` (CIP-30 signData, which takes it ' +
    'in hex). `timestamp` is milliseconds since 1970 of real time (not of the development clock), at most five ' +
    'minutes ago and 30 seconds ahead. Every attempt uses the nonce up, also one that fails. Send the token as ' +
    '`Authorization: Bearer <token>` beside the API key; it is told here and never again.',
  answers: 'A session of the wallet, and its token',
  examples: {
    wallet: {
      address: exampleWallet,
      nonce: '5f0c8a1b2d3e4f60718293a4b5c6d7e8',
      timestamp: 1_795_190_400_000,
      signature: '84582aa201276761646472657373' + '00'.repeat(32),
      key: 'a4010103272006215820' + '00'.repeat(32),
    },
  },
  body: z.strictObject({
    address: AddressText,
    nonce: z.string().min(1).max(100),
    signature: CborText.describe('COSE_Sign1 in CBOR hex, as signData answers it'),
    timestamp: z.int().describe('Milliseconds since 1970, real time; the one that was signed'),
    key: CborText.describe('COSE_Key in CBOR hex, as signData answers it'),
  }),
  // A stored answer would hold the token in clear.
  idempotent: false,
  responses: {
    201: SessionResource.extend({ token: z.string().describe('For `Authorization: Bearer`; never told again') }),
  },
  errors: [
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INVALID_NONCE',
    'SIGNATURE_EXPIRED',
    'SIGNATURE_NOT_YET_VALID',
    'INVALID_LOGIN_SIGNATURE',
  ],
  async handle({ body, caller }, context) {
    const { session, token } = await logIn(context, body, caller.apiKeyId);
    return unstored(created({ ...presentSession(session, caller), token }));
  },
});

const getSessions = route({
  method: 'get',
  path: '/auth/sessions',
  operationId: 'listSessions',
  summary: 'List the sessions of the wallet that is logged in',
  description: '`current` marks the session of this request.',
  answers: 'A page of sessions',
  query: z.strictObject(pageQuery(['createdAt', 'lastUsedAt'])),
  responses: { 200: EnvelopedPage(z.object({ sessions: z.array(SessionResource) })) },
  errors: ['SESSION_REQUIRED'],
  async handle({ query, caller }, { db, wallClock }) {
    const { wallet } = requireSession(caller);
    const now = wallClock.now();
    const { sessions, total } = await listSessions(db, wallet, new Date(now), pageOf(query, 'createdAt:desc'));
    const data = { sessions: sessions.map((session) => presentSession(session, caller)) };
    return ok(envelopedPage(data, paginationOf(query, total), now));
  },
});

const deleteCurrentSession = route({
  method: 'delete',
  path: '/auth/sessions',
  operationId: 'endCurrentSession',
  summary: 'Log out',
  description: 'The token is worth nothing from then on.',
  answers: 'The session has ended',
  // Whoever repeats it has no session any more and is refused before its key is looked at.
  idempotent: false,
  responses: { 204: null },
  errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
  handle: ({ caller, idempotency }, context) =>
    endSession(context, caller, requireSession(caller).sessionId, idempotency),
});

const deleteSessionById = route({
  method: 'delete',
  path: '/auth/sessions/:sessionId',
  operationId: 'endSession',
  summary: 'End a session of the wallet that is logged in',
  description: 'The token of that session is worth nothing from then on.',
  answers: 'The session has ended',
  params: z.strictObject({ sessionId: ResourceId }),
  responses: { 204: null },
  errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
  handle: ({ params, caller, idempotency }, context) => endSession(context, caller, params.sessionId, idempotency),
});

/** Logging in and out. */
export const authRoutes = [postNonce, postSession, getSessions, deleteCurrentSession, deleteSessionById];

async function endSession(
  { ids, unitOfWork }: AuthContext,
  caller: Caller,
  id: string,
  idempotency: Idempotency,
): Promise<Answer<204, undefined>> {
  const { wallet } = requireSession(caller);
  return unitOfWork(({ tx, now }) =>
    idempotency.once(tx, async () => {
      if (!(await deleteSession(tx, wallet, id))) throw new ServiceError('SESSION_NOT_FOUND');
      const actor = { id: wallet, type: 'WALLET' } as const;
      const metadata = { apiKeyId: caller.apiKeyId };
      await recordAudit(
        { tx, ids, now },
        { action: 'SESSION_ENDED', actor, resource: { type: 'session', id }, metadata },
      );
      return noContent();
    }),
  );
}

function requireSession({ wallet, sessionId }: Caller): { wallet: string; sessionId: string } {
  if (wallet === null || sessionId === null)
    throw new ServiceError('SESSION_REQUIRED', { header: 'Authorization', value: 'Bearer <token of a session>' });
  return { wallet, sessionId };
}

function presentSession({ id, wallet, createdAt, lastUsedAt, expiresAt, endsAt }: Session, caller: Caller) {
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

/** Keeps what only its receiver may know out of caches. */
function unstored<A extends Answer>(answer: A): A {
  return { ...answer, headers: { 'Cache-Control': 'no-store' } };
}
