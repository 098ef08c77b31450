import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseApiKey } from '../../src/access/api-keys.ts';
import { type Access, createAccessAudit } from '../../src/platform/http/access-audit.ts';
import { revokeApiKey } from '../../src/access/queries/api-keys.ts';
import { authService } from '../http/auth-service.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

interface Row {
  readonly action: string;
  readonly metadata: { readonly count: number };
}
type Service = Awaited<ReturnType<typeof authService>>;

let database: TestDatabase;
let service: Service;
beforeAll(async () => {
  database = await testDatabase();
  service = await authService(database.url);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** The entries that a process writes for what was counted since the last time. */
async function written() {
  await database.sql.run`delete from audit_log`;
  await service.writeAccesses();
  const rows = await database.sql.run<Row>`select * from audit_log
      order by action, resource_type, resource_id, metadata ->> 'code', id`;
  return rows;
}

const idOf = (key: string) => parseApiKey(key)!.id;

test('refused logins and permissions are in the audit log with their number: who, what, why and when', async () => {
  const [wallet, thief] = [signingWallet(), signingWallet()];
  const key = await service.newApiKey();
  const at = new Date(service.clock.now()).toISOString();
  for (let attempt = 0; attempt < 3; attempt += 1)
    await service.call('createSession', {
      key,
      body: await service.loginBody(wallet, { signs: { with: thief.payment } }),
    });
  service.pass(1000);
  await service.call('createSession', { key, body: await service.loginBody(wallet, { nonce: 'unknown' }) });
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await service.call('castVote', { key, body: { wallet: wallet.address } })).toHaveProperty('status', 403);

  const [actor, login] = [
    { actor_type: 'API_KEY', actor_id: idOf(key) },
    { resource_type: 'wallet', resource_id: wallet.address },
  ];
  const [apiKeyId, later] = [idOf(key), new Date(service.clock.now()).toISOString()];
  expect((await written()).filter(({ action }) => action !== 'SESSION_STARTED')).toMatchObject([
    {
      action: 'LOGIN_REFUSED',
      ...actor,
      ...login,
      metadata: { code: 'INVALID_LOGIN_SIGNATURE', apiKeyId, count: 3, firstAt: at },
    },
    {
      action: 'LOGIN_REFUSED',
      ...actor,
      ...login,
      metadata: { code: 'INVALID_NONCE', count: 1, firstAt: later, lastAt: later },
    },
    {
      action: 'PERMISSION_REFUSED',
      ...actor,
      ...{ resource_type: 'operation', resource_id: 'castVote' },
      metadata: { code: 'INSUFFICIENT_PERMISSIONS', apiKeyId, count: 2, firstAt: later, lastAt: later },
    },
  ]);
});

test('the use of a key that has ended names the key; whoever guesses one is unknown', async () => {
  const [ended, other] = [await service.newApiKey(), await service.newApiKey()];
  await revokeApiKey(service.db, idOf(ended), new Date(service.clock.now()));
  const secret = 'A'.repeat(43);
  const guesses = [
    other.slice(0, -43) + secret,
    other.replace(idOf(other), '0'.repeat(32)),
    other.replace('vts_test', 'vts_prod'),
  ];
  for (const key of [ended, ...guesses])
    expect(await service.call('listSessions', { key })).toHaveProperty('status', 401);

  const rows = await written();
  const refused = (actor: string, key: string, reason: string) => ({
    action: 'API_KEY_REFUSED',
    actor_id: actor,
    resource_type: 'apiKey',
    resource_id: key,
    metadata: expect.objectContaining({ reason, count: 1 }),
  });
  expect(rows).toHaveLength(4);
  expect(rows).toEqual(
    expect.arrayContaining(
      [
        refused(idOf(ended), idOf(ended), 'ended'),
        refused('unknown', idOf(other), 'wrong_secret'),
        refused('unknown', 'unknown', 'unknown'),
        refused('unknown', 'unknown', 'other_environment'),
      ].map((row) => expect.objectContaining(row)),
    ),
  );
  expect(JSON.stringify(rows)).not.toContain(secret);
});

const refusal = (number: number): Access => ({
  action: 'PERMISSION_REFUSED',
  actor: { id: `wallet${number}`, type: 'WALLET' },
  resource: { type: 'operation', id: 'castVote' },
  metadata: {},
});
const counts = (rows: readonly Pick<Row, 'metadata'>[]) => rows.map(({ metadata }) => metadata.count);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

test('a flood of different refusals is a bounded number of entries, and each is counted', async () => {
  const read: Access = { ...refusal(0), action: 'PERSONAL_DATA_READ' };
  for (let number = 0; number < 10_000; number += 1) service.accessAudit.note(refusal(number));
  service.accessAudit.note(read);
  const rows = await written();

  expect(rows).toHaveLength(52);
  expect(sum(counts(rows))).toBe(10_001);
  expect(rows).toContainEqual(expect.objectContaining({ action: 'PERSONAL_DATA_READ', actor_id: 'wallet0' }));
  expect(rows).toContainEqual(
    expect.objectContaining({ actor_id: 'others', metadata: expect.objectContaining({ count: 9950 }) }),
  );
});

test('what cannot be written is written later, with what came meanwhile', async () => {
  let isDown = true;
  const { clock, logger, unitOfWork } = service;
  const audit = createAccessAudit({
    clock,
    logger,
    unitOfWork: (work) => (isDown ? Promise.reject(new Error('Postgres is away')) : unitOfWork(work)),
  });
  await database.sql.run`delete from audit_log`;
  audit.note(refusal(1));
  await audit.close();
  expect(service.logged()).toContain('were not written to the audit log yet');
  audit.note(refusal(1));
  isDown = false;
  await audit.close();

  const rows = await database.sql.run<Row>`select metadata from audit_log`;
  expect(counts(rows)).toEqual([2]);
});
