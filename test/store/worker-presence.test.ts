import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Db, openDatabase } from '../../src/platform/database/database.ts';
import { isWorkerPresent, recordWorkerPresence, removeWorkerPresence } from '../../src/operations/queries.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, () => undefined, 2);
});
afterAll(async () => {
  await db.destroy();
  await database[Symbol.asyncDispose]();
});
beforeEach(() => database.sql.query('truncate worker_presence'));

const setSeen = (time: string) => database.sql.query(`update worker_presence set seen_at = ${time}`);

async function recorded(): Promise<string[]> {
  const rows = await database.sql.run<{ id: string }>`select worker_id as id from worker_presence`;
  return rows.map(({ id }) => id).toSorted();
}

test('one of several workers is enough, until the last of them has ended', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  for (const id of [first, second, first]) await recordWorkerPresence(db, id);
  expect(await recorded()).toEqual([first, second].toSorted());
  await removeWorkerPresence(db, first);
  expect(await isWorkerPresent(db, 15)).toBe(true);
  await removeWorkerPresence(db, second);
  expect(await isWorkerPresent(db, 15)).toBe(false);
});

test.each([
  ['killed a minute ago', "now() - interval '61 seconds'"],
  ['seen while the clock of Postgres was ahead', "now() + interval '1 day'"],
])('a worker that was %s is not present, and its row goes with the next worker', async (_, time) => {
  await recordWorkerPresence(db, randomUUID());
  await setSeen(time);
  expect(await isWorkerPresent(db, 15)).toBe(false);
  const next = randomUUID();
  await recordWorkerPresence(db, next);
  expect(await recorded()).toEqual([next]);
  expect(await isWorkerPresent(db, 15)).toBe(true);
});
