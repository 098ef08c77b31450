import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isoText } from '../../src/platform/units/time.ts';
import { deleteExpiredNonces, deleteExpiredSessions } from '../../src/access/queries/sessions.ts';
import { authService } from './auth-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';
import { signingWallet } from './signing-wallet.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

const start = (...[limits]: [Parameters<typeof authService>[1]?]) => authService(database.url, limits);
const minutes = (count: number) => count * 60_000;
const refusal = (status: number, code: string) => ({ status, body: { status: 'error', error: { code } } });

test('a session permits actions for its own wallet and for no other', async () => {
  await using service = await start();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const { token } = await service.session(wallet);
  const vote = (more: object) => service.call('castVote', { body: { wallet: wallet.address }, ...more });
  expect(await vote({ token })).toMatchObject({ status: 200, body: { onBehalfOf: null } });
  expect(await vote({})).toMatchObject(refusal(403, 'INSUFFICIENT_PERMISSIONS'));
  expect(await vote({ token, body: { wallet: stranger.address } })).toMatchObject({ status: 403 });
  const admin = await service.newApiKey(['ADMIN']);
  expect(await vote({ key: admin })).toMatchObject({
    status: 200,
    body: { onBehalfOf: expect.stringMatching(/^addr/) },
  });
  expect(await vote({ token, key: 'nonsense' })).toMatchObject(refusal(401, 'INVALID_API_KEY'));
});

test('a session ends after an hour without a request', async () => {
  await using service = await start();
  const { token } = await service.session(signingWallet());
  const list = () => service.sessionsOf(token);
  service.pass(minutes(59));
  expect(await list()).toMatchObject({ status: 200 });
  service.pass(minutes(60) - 1);
  const [session] = (await list()).body.data.sessions;
  expect(session).toMatchObject({ current: true, lastUsedAt: isoText(service.clock.now()) });
  service.pass(minutes(60));
  expect(await list()).toMatchObject(refusal(401, 'INVALID_SESSION'));
});

test('a session ends after twelve hours even if it is used', async () => {
  await using service = await start();
  const { token, endsAt } = await service.session(signingWallet());
  const list = () => service.sessionsOf(token);
  for (let half = 1; half < 24; half += 1) {
    service.pass(minutes(30));
    expect(await list()).toMatchObject({ status: 200 });
  }
  expect((await list()).body.data.sessions[0]?.expiresAt).toBe(endsAt);
  service.pass(minutes(30) - 1);
  expect(await list()).toMatchObject({ status: 200 });
  service.pass(1);
  expect(await list()).toMatchObject(refusal(401, 'INVALID_SESSION'));
});

test('an ended session is refused', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const [here, there] = [await service.session(wallet), await service.session(wallet)];
  const end = (id: string) => service.call('endSession', { params: id, token: here.token });
  expect(await end(there.id)).toMatchObject({ status: 204 });
  expect(await end(there.id)).toMatchObject(refusal(404, 'SESSION_NOT_FOUND'));
  const asThere = await service.call('castVote', { body: { wallet: wallet.address }, token: there.token });
  expect(asThere).toMatchObject(refusal(401, 'INVALID_SESSION'));
  expect(await service.call('endCurrentSession', { token: here.token })).toMatchObject({ status: 204 });
  expect(await service.call('endCurrentSession', { token: here.token })).toMatchObject(refusal(401, 'INVALID_SESSION'));
});

test('a wallet sees and ends its own sessions only', async () => {
  await using service = await start();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const first = await service.session(wallet);
  service.pass(1000);
  const second = await service.session(wallet);
  const other = await service.session(stranger);
  const list = async (token: string) => (await service.sessionsOf(token)).body;
  const mine = await list(first.token);
  expect(mine.metadata.pagination).toEqual({ page: 1, limit: 20, total: 2, totalIsMinimum: false, next: null });
  expect(mine.data.sessions.map(({ id, current }) => [id, current])).toEqual([
    [second.id, false],
    [first.id, true],
  ]);
  expect((await list(other.token)).data.sessions).toHaveLength(1);
  expect(await service.call('endSession', { params: first.id, token: other.token })).toMatchObject(
    refusal(404, 'SESSION_NOT_FOUND'),
  );
  expect((await list(first.token)).data.sessions).toHaveLength(2);
});

test('a wallet has at most twenty sessions: one more ends the one that was used the longest ago', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const stranger = await service.session(signingWallet());
  const first = await service.session(wallet);
  const tokens = [];
  for (let more = 0; more < 19; more += 1) {
    service.pass(minutes(1));
    tokens.push((await service.session(wallet)).token);
  }
  const statusOf = async (token: string) => (await service.sessionsOf(token)).status;
  expect(await statusOf(tokens[0]!)).toBe(200);
  expect(await statusOf(first.token)).toBe(200);

  const bodies = await Promise.all([service.loginBody(wallet), service.loginBody(wallet)]);
  const added = await Promise.all(bodies.map((body) => service.logIn(body)));
  expect(added.map(({ status }) => status)).toEqual([201, 201]);
  expect(await Promise.all([first.token, ...tokens].map(statusOf))).toEqual([
    200,
    200,
    401,
    401,
    ...tokens.slice(3).map(() => 200),
  ]);
  const { body } = await service.sessionsOf(first.token);
  expect(body.metadata.pagination).toMatchObject({ total: 20 });
  expect(await statusOf(stranger.token)).toBe(200);
  const ended = service.db.selectFrom('audit_log').selectAll().where('action', '=', 'SESSION_ENDED');
  expect(await ended.where('actor_id', '=', wallet.address).execute()).toHaveLength(2);
});

test('an API key alone has no sessions, not even an ADMIN key', async () => {
  await using service = await start();
  const key = await service.newApiKey(['ADMIN']);
  const { id } = await service.session(signingWallet());
  const required = refusal(401, 'SESSION_REQUIRED');
  expect(await service.call('listSessions', { key })).toMatchObject(required);
  expect(await service.call('endSession', { key, params: id })).toMatchObject(required);
  expect(await service.call('endCurrentSession', { key })).toMatchObject(required);
});

test.each([
  ['an unknown token', `Bearer ${'A'.repeat(43)}`],
  ['no token', 'Bearer '],
  ['another scheme', 'Basic dXNlcjpwYXNz'],
])('%s is refused instead of being ignored', async (_what, authorization) => {
  await using service = await start();
  const admin = await service.newApiKey(['ADMIN']);
  const vote = { body: { wallet: signingWallet().address }, key: admin, authorization };
  expect(await service.call('castVote', vote)).toMatchObject(refusal(401, 'INVALID_SESSION'));
});

test('expired nonces and sessions are deleted, and no others', async () => {
  await using service = await start();
  const [wallet, keeps] = [signingWallet(), signingWallet()];
  const { token } = await service.session(keeps);
  await service.session(wallet);
  await service.nonceFor(wallet.address);
  service.pass(minutes(30));
  await service.sessionsOf(token);
  service.pass(minutes(30));
  const nonce = await service.nonceFor(keeps.address);
  const now = () => new Date(service.clock.now());
  expect(await deleteExpiredNonces(service.db, now())).toBeGreaterThan(0);
  expect(await deleteExpiredNonces(service.db, now())).toBe(0);
  expect(await deleteExpiredSessions(service.db, now())).toBeGreaterThan(0);
  expect(await deleteExpiredSessions(service.db, now())).toBe(0);
  expect(await service.sessionsOf(token)).toMatchObject({ status: 200 });
  expect(await service.logIn(await service.loginBody(keeps, { nonce }))).toMatchObject({ status: 201 });
});
