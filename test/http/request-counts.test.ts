import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createRequestCounts } from '../../src/platform/http/request-counts.ts';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

const [KEY, VISITOR] = ['key', 'visitor'];

/** The counts of a process. */
function processOf({ url }: TestDatabase) {
  const db = openDatabase(url, () => undefined, 4);
  const counts = createRequestCounts(db, wallClock, 900_000);
  return {
    ...counts,
    /** As the rate limiter counts a read and a change of a caller. */
    async isAdmitted(limit: number, isRead = true): Promise<boolean> {
      const inMemory = isRead ? counts.countInMemory([KEY, VISITOR], limit - 1_000) : null;
      const [ofCaller] = inMemory ? [inMemory] : await counts.count([KEY, VISITOR]);
      return (ofCaller?.hits ?? Infinity) <= limit;
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}
type Process = ReturnType<typeof processOf>;

async function storedHits({ sql }: TestDatabase): Promise<Record<string, number>> {
  const rows = await sql.run<{ caller: string; hits: number }>`table rate_limits`;
  return Object.fromEntries(rows.map(({ caller, hits }) => [caller, hits]));
}

test('two processes under concurrent load admit exactly the limit, because they count its end in Postgres', async () => {
  for (const limit of [30, 1_400]) {
    await using database = await testDatabase();
    await using one = processOf(database);
    await using two = processOf(database);
    const lanes = Array.from({ length: 40 }, async (_, lane) => {
      let admitted = 0;
      for (let sent = 0; sent < limit / 20; sent += 1) {
        const process: Process = (lane + sent) % 2 ? one : two;
        if (await process.isAdmitted(limit, sent % 5 > 0)) admitted += 1;
      }
      return admitted;
    });
    expect((await Promise.all(lanes)).reduce((sum, admitted) => sum + admitted, 0)).toBe(limit);
  }
});

test('reads of a large limit need one statement for each write, changes one each; all are counted', async () => {
  await using database = await testDatabase();
  await using process = processOf(database);
  using recorded = recordStatements();
  const counted = () => recorded.statements().filter(({ text }) => text.startsWith('insert')).length;
  for (let sent = 0; sent < 100; sent += 1) await process.isAdmitted(9_000);
  expect(counted()).toBe(1);
  await process.write();
  expect(counted()).toBe(2);
  expect(await storedHits(database)).toEqual({ [KEY]: 100, [VISITOR]: 100 });
  for (let sent = 0; sent < 10; sent += 1) await process.isAdmitted(9_000, false);
  await process.write();
  expect(counted()).toBe(12);
  expect(await storedHits(database)).toEqual({ [KEY]: 110, [VISITOR]: 110 });
});

test('a process hears of the requests at others with each write, and a restarted one with its first request', async () => {
  await using database = await testDatabase();
  await using one = processOf(database);
  await using two = processOf(database);
  await one.isAdmitted(9_000);
  for (let sent = 0; sent < 50; sent += 1) await two.isAdmitted(9_000);
  await two.write();
  one.countInMemory([KEY], 500);
  await one.write();
  expect(one.countInMemory([KEY], 500)).toMatchObject({ hits: 53 });
  await using restarted = processOf(database);
  expect(await restarted.count([KEY])).toMatchObject([{ hits: 53 }]);
});

test('counts that could not be written are written later; changes reject meanwhile', async () => {
  await using database = await testDatabase();
  await using process = processOf(database);
  for (let sent = 0; sent < 20; sent += 1) await process.isAdmitted(9_000);
  await database.sql.run`alter table rate_limits rename to away`;
  await expect(process.write()).rejects.toThrow('rate_limits');
  await expect(process.isAdmitted(9_000, false)).rejects.toThrow('rate_limits');
  expect(await process.isAdmitted(9_000)).toBe(true);
  await database.sql.run`alter table away rename to rate_limits`;
  await process.write();
  expect(await storedHits(database)).toEqual({ [KEY]: 21, [VISITOR]: 21 });
});

test('what was counted in memory in a window that has ended does not count in the next one', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  let now = wallClock.now();
  const counts = createRequestCounts(db, { now: () => now }, 900_000);
  await counts.count([KEY]);
  for (let sent = 0; sent < 20; sent += 1) counts.countInMemory([KEY], 1_000);
  now = secondsAfter(now, 901);
  await counts.write();
  expect(counts.countInMemory([KEY], 1_000)).toBeNull();
  expect(await counts.count([KEY])).toMatchObject([{ hits: 1 }]);
  await db.destroy();
});
