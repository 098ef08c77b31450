import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { migrateToLatest } from '../../src/store/migrate.ts';
import { type TestDatabase, testDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';

const record = `insert into kysely_migration (name, timestamp) values ($1, '9999-01-01T00:00:00Z')`;

test('a process of the older release starts on a database that a newer release has migrated', async () => {
  await using database = await testDatabase();
  await database.sql.query(record, ['9999_of_the_next_release']);
  await expect(migrateToLatest(database.url)).resolves.toBeUndefined();
});

test('a database with a migration that this release lacks in the middle is refused', async () => {
  await using database = await testDatabase();
  await database.sql.query(record, ['0005_of_another_project']);
  await expect(migrateToLatest(database.url)).rejects.toThrow('0005_of_another_project');
});

test('each migration is committed alone, and one that waits for a reader keeps no other from reading', async () => {
  await using database = await testDatabase('template0');
  const { sql } = database;
  await using holder = await openTransaction(database);
  // The migration that makes it waits for whoever has it.
  await holder.client.query('create table rotations ()');
  const migrating = migrateToLatest(database.url);
  const done = async (name: string) =>
    (await sql.query('select from kysely_migration where name like $1', [name])).rowCount === 1;
  await until(() => done('0063%'), { what: 'the migrations before to be committed' });

  await using reader = await openTransaction(database);
  await reader.client.query('select from vaults');
  await holder.client.query('rollback');
  // The next one that changes this table waits for the reader.
  const waiting = `select from pg_locks where relation = 'vaults'::regclass and not granted`;
  await until(async () => (await sql.query(waiting)).rowCount === 1, { what: 'a migration to wait' });
  await expect(sql.query('select from vaults')).resolves.toBeDefined();

  expect(await done('0075%')).toBe(false);
  await reader.client.query('rollback');
  await migrating;
  expect(await done('0075%')).toBe(true);
});

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
  const files = await readdir(new URL('../../src/store/migrations/', import.meta.url));
  const numbers = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});
