import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { type RawBuilder, sql as statement } from 'kysely';
import type { Migration } from 'kysely/migration';
import { migrateToLatest } from '../../src/platform/database/migrate.ts';
import { type TestDatabase, testDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';

const record = `insert into kysely_migration (name, timestamp) values ($1, '9999-01-01T00:00:00Z')`;

test('a process of the older release starts on a database that a newer release has migrated', async () => {
  await using database = await testDatabase();
  await database.sql.query(record, ['9999_of_the_next_release']);
  await expect(migrateToLatest(database.url)).resolves.toBeUndefined();
});

test('a database with an earlier migration that this release lacks is refused', async () => {
  await using database = await testDatabase();
  await database.sql.query(record, ['0000_of_another_project']);
  await expect(migrateToLatest(database.url)).rejects.toThrow('0000_of_another_project');
});

test('each migration is committed alone, and one that waits for a reader keeps no other from reading', async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const released = await namesOf(sql);
  const first = {
    ...Object.fromEntries(released.map((name) => [name, noChange])),
    '0002_first': migration(statement`create table first (id integer)`),
  };
  await migrateToLatest(database.url, first);
  await using reader = await openTransaction(database);
  await reader.client.query('select from first');
  const migrating = migrateToLatest(database.url, {
    ...first,
    '0003_second': migration(statement`alter table first add column name text`),
  });
  const waiting = `select from pg_locks where relation = 'first'::regclass and not granted`;
  await until(async () => (await sql.query(waiting)).rowCount === 1, { what: 'a migration to wait' });
  await expect(sql.query('select from first')).resolves.toBeDefined();

  expect(await namesOf(sql)).toEqual([...released, '0002_first']);
  await reader.client.query('rollback');
  await migrating;
  expect(await namesOf(sql)).toEqual([...released, '0002_first', '0003_second']);
});

const noChange: Migration = { up: () => Promise.resolve() };

function migration(change: RawBuilder<unknown>): Migration {
  return {
    up: async (db) => {
      await change.execute(db);
    },
  };
}

async function namesOf(sql: TestDatabase['sql']) {
  return (await sql.run<{ name: string }>`select name from kysely_migration order by name`).map(({ name }) => name);
}

/** A connection in a transaction, which ends with the connection. */
async function openTransaction({ sql }: TestDatabase) {
  const client = await sql.connect();
  await client.query('begin');
  return {
    client,
    [Symbol.asyncDispose]() {
      client.release(true);
      return Promise.resolve();
    },
  };
}

test('every migration has a number of its own, so that two branches cannot bring in an earlier one later', async () => {
  const files = await readdir(new URL('../../src/platform/database/migrations/', import.meta.url));
  const numbers = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('a database of another version of the service is refused as a whole, whatever its migrations are called', async () => {
  await using database = await testDatabase();
  await database.sql.run`delete from kysely_migration`;
  await database.sql.query(record, ['0002_access']);
  await expect(migrateToLatest(database.url)).rejects.toThrow(
    'the database was made by another version of this service (migration 0002_access)',
  );
});
