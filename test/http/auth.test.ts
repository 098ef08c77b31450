import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { voteMessage } from '../../src/votes/rules.ts';
import { baseUnits } from '../../src/platform/units/money.ts';
import { instant, isoText } from '../../src/platform/units/time.ts';
import { insertNonce } from '../../src/access/queries/sessions.ts';
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

test('a wallet that signs a nonce is logged in for an hour, and for twelve hours at most', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const asked = await service.call<{ data: { nonce: string } }>('createNonce', { body: { address: wallet.address } });
  const now = service.clock.now();
  expect(asked).toMatchObject({ status: 201, body: { data: { expiresAt: isoText(now).replace('12:00', '12:05') } } });
  expect(asked.body.data.nonce).toMatch(/^Log in to https:\/\/vaults\.example, nonce [0-9a-f]{32}$/);

  const login = await service.logIn(await service.loginBody(wallet, { nonce: asked.body.data.nonce }));
  expect(login).toMatchObject({
    status: 201,
    body: {
      status: 'success',
      data: {
        address: wallet.address,
        createdAt: '2026-11-20T12:00:00.000Z',
        expiresAt: '2026-11-20T13:00:00.000Z',
        endsAt: '2026-11-21T00:00:00.000Z',
      },
      metadata: { timestamp: '2026-11-20T12:00:00.000Z' },
    },
  });
  expect(login.body.data.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(login.headers.get('cache-control')).toBe('private, no-store');
});

test('an address in upper case logs in the same wallet', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const body = await service.loginBody(wallet);
  const login = await service.logIn({ ...body, address: wallet.address.toUpperCase() });
  expect(login).toMatchObject({ status: 201, body: { data: { address: wallet.address } } });
});

test('a hardware wallet, which signs the hash of the payload, can log in', async () => {
  await using service = await start();
  const body = await service.loginBody(signingWallet(), { signs: { hashed: true } });
  expect(await service.logIn(body)).toMatchObject({ status: 201 });
});

test('a nonce is valid for one login, whatever the idempotency key', async () => {
  await using service = await start();
  const body = await service.loginBody(signingWallet());
  expect(await service.logIn(body)).toMatchObject({ status: 201 });
  expect(await service.logIn(body)).toMatchObject(refusal(401, 'INVALID_NONCE'));
});

test('a failed login uses up its nonce, whatever the reason', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const good = await service.loginBody(wallet);
  const ways = [
    { signature: good.signature.replace(/..$/, 'ff') },
    { timestamp: good.timestamp - minutes(6) },
    { address: signingWallet().address },
    { address: wallet.reward },
  ];
  for (const wrong of ways) {
    const body = await service.loginBody(wallet);
    expect((await service.logIn({ ...body, ...wrong })).status).toBeGreaterThanOrEqual(400);
    expect(await service.logIn(body)).toMatchObject(refusal(401, 'INVALID_NONCE'));
  }
});

test('one of many concurrent logins with one nonce succeeds', async () => {
  await using service = await start();
  const body = await service.loginBody(signingWallet());
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.logIn(body)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(9).fill(401)]);
});

test('a nonce of another address, an unknown one and an expired one are refused', async () => {
  await using service = await start();
  const [wallet, stranger] = [signingWallet(), signingWallet()];
  const nonces = [await service.nonceFor(stranger.address), await service.nonceFor(wallet.enterprise), '0'.repeat(32)];
  for (const nonce of nonces) {
    const body = await service.loginBody(wallet, { nonce });
    expect(await service.logIn(body)).toMatchObject(refusal(401, 'INVALID_NONCE'));
  }
  const nonce = await service.nonceFor(wallet.address);
  service.pass(minutes(5) - 1);
  const inTime = await service.nonceFor(wallet.address);
  service.pass(1);
  expect(await service.logIn(await service.loginBody(wallet, { nonce }))).toMatchObject(refusal(401, 'INVALID_NONCE'));
  service.pass(minutes(5) - 2);
  expect(await service.logIn(await service.loginBody(wallet, { nonce: inTime }))).toMatchObject({ status: 201 });
});

test.each([
  ['for no service', '5f0c8a1b2d3e4f60718293a4b5c6d7e8'],
  ['for another service', 'Log in to https://elsewhere.example, nonce 5f0c8a1b2d3e4f60718293a4b5c6d7e8'],
  [
    'that another origin begins with',
    'Log in to https://vaults.example.evil.example, nonce 5f0c8a1b2d3e4f60718293a4b5c6d7e8',
  ],
])('a nonce %s is refused, also if the service has stored it', async (_what, nonce) => {
  await using service = await start();
  const wallet = signingWallet();
  const expiresAt = instant(service.clock.now() + minutes(5));
  await insertNonce(service.db, { nonce, wallet: wallet.address, expiresAt });
  expect(await service.logIn(await service.loginBody(wallet, { nonce }))).toMatchObject(refusal(401, 'INVALID_NONCE'));
});

test('a vote that a wallet signed is no login, also if its nonce is the time and the service has stored its text', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const timestamp = service.clock.now();
  const vote = {
    proposalId: randomUUID(),
    decision: 'APPROVE',
    amount: baseUnits(5n),
    nonce: String(timestamp),
  } as const;
  const signed = wallet.signData(wallet.address, voteMessage(vote));
  const nonce = voteMessage(vote).replace(`:${timestamp}`, '');
  const logIn = () => service.logIn({ address: wallet.address, nonce, timestamp, ...signed });
  expect(await logIn()).toMatchObject(refusal(401, 'INVALID_NONCE'));
  await insertNonce(service.db, { nonce, wallet: wallet.address, expiresAt: instant(timestamp + minutes(5)) });
  expect(await logIn()).toMatchObject(refusal(401, 'INVALID_NONCE'));
});

test('a login signature is valid for five minutes and may be dated 30 seconds ahead', async () => {
  await using service = await start();
  const wallet = signingWallet();
  const at = async (offset: number) =>
    service.logIn(await service.loginBody(wallet, { timestamp: service.clock.now() + offset }));
  expect(await at(-minutes(5))).toMatchObject({ status: 201 });
  expect(await at(30_000)).toMatchObject({ status: 201 });
  expect(await at(-minutes(5) - 1)).toMatchObject({
    status: 401,
    body: { error: { type: 'AUTHENTICATION_ERROR', code: 'SIGNATURE_EXPIRED', message: 'Signature expired' } },
  });
  expect(await at(30_001)).toMatchObject(refusal(401, 'SIGNATURE_NOT_YET_VALID'));
});

test('a late login is refused with SIGNATURE_EXPIRED, although its nonce has expired too', async () => {
  await using service = await start();
  const body = await service.loginBody(signingWallet());
  service.pass(minutes(5) + 1);
  expect(await service.logIn(body)).toMatchObject(refusal(401, 'SIGNATURE_EXPIRED'));
});

test('a signature that does not prove the address is refused with the error of the specification', async () => {
  await using service = await start();
  const [wallet, attacker] = [signingWallet(), signingWallet()];
  const bodies: [string, object][] = [
    ['other_key', await service.loginBody(wallet, { signs: { with: attacker.payment } })],
    ['other_key', await service.loginBody(wallet, { signs: { with: wallet.stake } })],
    ['other_address', await service.loginBody(wallet, { signs: { header: wallet.enterprise } })],
    ['other_payload', { ...(await service.loginBody(wallet)), timestamp: service.clock.now() - 1 }],
    ['malformed', { ...(await service.loginBody(wallet)), signature: 'garbage' }],
    ['malformed', { ...(await service.loginBody(wallet)), key: 'ff' }],
  ];
  for (const [reason, body] of bodies) {
    expect(await service.logIn(body)).toMatchObject({
      status: 401,
      body: {
        error: {
          type: 'AUTHENTICATION_ERROR',
          code: 'INVALID_LOGIN_SIGNATURE',
          message: 'Invalid signature',
          details: { reason },
        },
      },
    });
  }
});

test('only a wallet of this network can ask for a nonce', async () => {
  await using service = await start();
  const ask = (address: string) => service.call('createNonce', { body: { address } });
  const wallet = signingWallet();
  expect(await ask(signingWallet({ network: 1 }).address)).toMatchObject(refusal(400, 'WRONG_NETWORK'));
  expect(await ask(wallet.reward)).toMatchObject(refusal(400, 'INVALID_ADDRESS'));
  expect(await ask('nonsense')).toMatchObject(refusal(400, 'INVALID_ADDRESS'));
});

test('neither the database nor the log holds a token, a signature or what an idempotency key could replay', async () => {
  await using service = await start();
  const body = await service.loginBody(signingWallet());
  const { token } = (await service.logIn(body)).body.data;
  await service.sessionsOf(token);
  const tables = ['sessions', 'login_nonces', 'idempotency_keys', 'audit_log', 'api_keys'];
  const rows = tables.map((table) => sql<{ text: string }>`select t::text as text from ${sql.table(table)} t`);
  const texts = await Promise.all(rows.map(async (query) => (await query.execute(service.db)).rows));
  const everything =
    texts
      .flat()
      .map(({ text }) => text)
      .join('\n') + service.logged();
  expect(everything).not.toContain(token);
  expect(everything).not.toContain(Buffer.from(token).toString('hex'));
  expect(everything).not.toContain(body.signature);
});

test('nonce requests are rate limited', async () => {
  await using service = await start({ perCaller: 5 });
  const ask = () => service.call('createNonce', { body: { address: signingWallet().address } });
  const statuses = [];
  for (let turn = 0; turn < 7; turn += 1) statuses.push((await ask()).status);
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429]);
});
