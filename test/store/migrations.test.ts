import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { migrateToLatest } from '../../src/store/migrate.ts';
import { testDatabase } from '../stack/test-database.ts';

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

test('every migration has a number of its own, so that two branches cannot bring in an earlier one later', async () => {
  const files = await readdir(new URL('../../src/store/migrations/', import.meta.url));
  const numbers = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});
