import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Db, openDatabase } from '../../src/platform/database/database.ts';
import { listen } from '../../src/platform/database/notifications.ts';
import { requireOwnSessions } from '../../src/platform/database/postgres-sessions.ts';
import { migrateToLatest } from '../../src/platform/database/migrate.ts';
import { requirePrepared } from '../../src/platform/database/roles/prepare-database.ts';
import { operator } from '../stack/operator.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';
import { openPooler } from './pooler.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

test.each(['api', 'worker'] as const)(
  'the %s does not start behind a pooler in transaction mode, and says what to do',
  async (process) => {
    await using pooler = await openPooler(database.url, { mode: 'transaction' });
    const starting = requirePrepared({ databaseUrl: pooler.url, process, isDevelopment: true });
    await expect(starting).rejects.toMatchObject({
      name: 'SharedSessionError',
      message: expect.stringMatching(
        /shares the sessions.*Set its pool_mode to session, or let DATABASE_URL lead to Postgres/,
      ),
    });
  },
);

test('no command of the operator runs behind a pooler in transaction mode', async () => {
  await using pooler = await openPooler(database.url, { mode: 'transaction' });
  const printed = operator({ databaseUrl: pooler.url }, 'migrate');
  await expect(printed).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^DATABASE_URL leads to a connection pooler that shares the sessions.*\n$/),
  });
});

test('a pooler in session mode is as good as none, unless it passes no notifications on', async () => {
  await using pooler = await openPooler(database.url, { mode: 'session' });
  await expect(requireOwnSessions(pooler.url)).resolves.toBeUndefined();
  await using silent = await openPooler(database.url, { mode: 'session', passesNotifications: false });
  await expect(requireOwnSessions(silent.url)).rejects.toThrow('passes no notifications on');
});

test('a connection asks for its settings after the first message, whose other parameters poolers refuse, also for those in the URL', async () => {
  await using pooler = await openPooler(database.url, { mode: 'session' });
  const url = `${pooler.url}?statement_timeout=1234&lock_timeout=77`;
  const db = openDatabase(url, () => undefined, 1);
  const listeningNow = Promise.withResolvers<undefined>();
  const listening = listen({
    databaseUrl: url,
    channel: 'any',
    onMessage: () => undefined,
    onListening: () => {
      listeningNow.resolve(undefined);
    },
    onLost: () => undefined,
  });
  try {
    const shown = await sql`select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'jit') order by name`.execute(
      db,
    );
    expect(shown.rows).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '30000' },
      { name: 'jit', setting: 'off' },
      { name: 'lock_timeout', setting: '77' },
      { name: 'statement_timeout', setting: '1234' },
    ]);
    await listeningNow.promise;
    await migrateToLatest(url);
    expect(pooler.parameters()).toEqual(['client_encoding', 'database', 'user']);
  } finally {
    await listening.close();
    await db.destroy();
  }
});

test('a name of a prepared statement means the same statement on every connection', async () => {
  const [one, other] = [1, 2].map(() => openDatabase(database.url, () => undefined, 1)) as [Db, Db];
  const read = (db: Db, label: string) => db.selectFrom('pauses').select(sql.lit(1).as(label)).execute();
  const namesOn = async (db: Db) => {
    const names = sql<{
      name: string;
      statement: string;
    }>`select name, statement from pg_prepared_statements where statement like '%pauses%'`;
    const { rows } = await db.transaction().execute((tx) => names.execute(tx));
    return new Map(rows.map(({ name, statement }) => [name, statement]));
  };
  try {
    await read(one, 'first');
    await read(one, 'both');
    await read(other, 'both');
    await read(other, 'second');
    const [ofOne, ofOther] = [await namesOn(one), await namesOn(other)];
    const shared = [...ofOne].filter(([name]) => ofOther.has(name));
    expect(shared).toEqual([[expect.any(String), expect.stringContaining('"both"')]]);
    expect(new Map([...ofOne, ...ofOther])).toHaveProperty('size', 3);
  } finally {
    await one.destroy();
    await other.destroy();
  }
});
