import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Db, openDatabase } from '../../src/store/database.ts';
import { isWorkerPresent, recordWorkerPresence, removeWorkerPresence } from '../../src/store/worker-presence.ts';
import { workflowChanges } from '../../src/temporal/workflow-changes.ts';
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

const workerOf = (...changes: string[]) => ({ id: randomUUID(), changes });

test('a change is active once every present worker knows it, and a worker that lacks an active one is not present', async () => {
  const [old, next] = [workerOf('one'), workerOf('one', 'two')];
  expect(await recordWorkerPresence(db, old)).toEqual(['one']);
  expect(await recordWorkerPresence(db, next)).toEqual(['one']);
  await removeWorkerPresence(db, old.id);
  expect(await recordWorkerPresence(db, next)).toEqual(['one', 'two']);

  await removeWorkerPresence(db, next.id);
  expect(await recordWorkerPresence(db, old)).toEqual(['one', 'two']);
  expect(await isWorkerPresent(db, 15)).toBe(false);
});

test('a worker of a release without ids holds later changes back, until it has not been seen for a minute', async () => {
  await database.sql.query('truncate worker_presence, workflow_changes');
  const known = workflowChanges.slice(0, workflowChanges.indexOf('restart-between-pages') + 1);
  const next = workerOf(...known, 'later');
  const present = `insert into worker_presence (seen_at) values (now()) on conflict (only_row) do update set seen_at = now()`;
  for (let times = 0; times < 2; times += 1) await database.sql.query(present);
  expect(await isWorkerPresent(db, 15)).toBe(true);
  expect((await recordWorkerPresence(db, next)).toSorted()).toEqual(known.toSorted());

  await database.sql.query(
    "update worker_presence set seen_at = now() - interval '61 seconds' where worker_id is null",
  );
  expect(await recordWorkerPresence(db, next)).toContain('later');
  const { rows } = await database.sql.query('select worker_id as id from worker_presence');
  expect(rows).toEqual([{ id: next.id }]);
});

test('a worker that was seen while the clock of Postgres was ahead, and no more, is gone', async () => {
  await database.sql.query('truncate worker_presence, workflow_changes');
  const [old, next] = [workerOf('one'), workerOf('one', 'two')];
  await recordWorkerPresence(db, old);
  await database.sql.query("update worker_presence set seen_at = now() + interval '1 day'");
  expect(await isWorkerPresent(db, 15)).toBe(false);
  // It may be there, and has a minute to say so.
  expect(await recordWorkerPresence(db, next)).toEqual(['one']);
  await database.sql.query("update worker_presence set seen_at = seen_at - interval '61 seconds'");
  expect((await recordWorkerPresence(db, next)).toSorted()).toEqual(['one', 'two']);
  const { rows } = await database.sql.query('select worker_id as id from worker_presence');
  expect(rows).toEqual([{ id: next.id }]);
});
