import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { revokeApiKey } from '../../src/access/queries/api-keys.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { testDatabase } from '../stack/test-database.ts';
import { notesService } from './notes-service.ts';

/** The notes service with a clock that the test advances, and a request with a key and a session. */
async function serviceWithClock(databaseUrl: string) {
  let now = wallClock.now();
  const service = await notesService({ databaseUrl, clock: { now: () => now } });
  const key = await service.key(['ADMIN']);
  const session = await service.session('addr_test1');
  const call = () => service.call('GET', '/api/v1/notes/none', { key, session });
  return {
    service,
    key,
    statusOf: async () => (await call()).status,
    /** Tables of credentials that a request reads. */
    async readBy(work: () => Promise<unknown>) {
      using recorded = recordStatements();
      await work();
      const texts = recorded.statements().map(({ text }) => text);
      return ['api_keys', 'sessions'].filter((table) =>
        texts.some((text) => text.startsWith('select') && text.includes(`from "${table}"`)),
      );
    },
    pass(ms: number) {
      now = instant(now + ms);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

test('a key and a session are looked up once in five seconds', async () => {
  await using database = await testDatabase();
  await using known = await serviceWithClock(database.url);
  expect(await known.readBy(known.statusOf)).toEqual(['api_keys', 'sessions']);
  // The first request has recorded the use of the key, and so looks it up again.
  await known.statusOf();
  expect(await known.readBy(() => Promise.all([known.statusOf(), known.statusOf()]))).toEqual([]);
  known.pass(4_900);
  expect(await known.readBy(known.statusOf)).toEqual([]);
  known.pass(200);
  expect(await known.readBy(known.statusOf)).toEqual(['api_keys', 'sessions']);
});

test('a revocation that no message announced takes effect within five seconds', async () => {
  await using database = await testDatabase();
  await using known = await serviceWithClock(database.url);
  await known.statusOf();
  expect(await known.statusOf()).toBe(400);
  await revokeApiKey(known.service.db, known.key.split('_')[2]!, new Date(wallClock.now() - 1));
  expect(await known.statusOf()).toBe(400);
  known.pass(5_000);
  expect(await known.statusOf()).toBe(401);
});

test('who may no longer act changes nothing, in a process that has heard of no end and no loss', async () => {
  await using database = await testDatabase();
  await using known = await serviceWithClock(database.url);
  const { service, key } = known;
  const none = await service.key([]);
  const [session, other] = [await service.session('addr_test1'), await service.session('addr_test2')];
  const add = (credentials: { key: string; session?: string }) =>
    service.call('POST', '/api/v1/notes', { ...credentials, json: { text: 'x' } }).then(({ status }) => status);
  await service.db
    .insertInto('wallet_roles')
    .values(
      ['addr_test1', 'addr_test2'].map((wallet) => ({
        wallet,
        roles: ['VAULT_CREATOR'],
        updated_by: 'test',
        updated_at: new Date(),
      })),
    )
    .execute();
  const callers = [{ key: none, session }, { key: none, session: other }, { key }];
  for (const caller of callers) expect(await add(caller)).toBe(201);

  await service.db.deleteFrom('sessions').where('wallet', '=', 'addr_test1').execute();
  await service.db.deleteFrom('wallet_roles').where('wallet', '=', 'addr_test2').execute();
  await revokeApiKey(service.db, key.split('_')[2]!, new Date(wallClock.now() - 3_600_000));

  expect(await Promise.all(callers.map(add))).toEqual([401, 403, 401]);
});
