import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/platform/units/clock.ts';
import { createLeasedCounts } from '../../src/platform/http/leased-counts.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createRequestCounter } from '../../src/platform/http/queries/rate-limits.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

const WINDOW_MS = 900_000;

/** The counts of a process. */
function processOf({ url }: TestDatabase, processes = 3) {
  const db = openDatabase(url, () => undefined, 4);
  const counts = createLeasedCounts(createRequestCounter(db, wallClock, WINDOW_MS), wallClock, processes);
  return {
    ...counts,
    async isAdmitted(
      limit: number,
      { visitor = 'one', isRead = true, caller = `key ${limit}`, isRaised = false } = {},
    ): Promise<boolean> {
      const { ofCaller } = await counts.count({ caller, visitor, limit, isRaised }, isRead);
      return ofCaller.hits <= limit;
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}
type Process = ReturnType<typeof processOf>;

/** How many of `requests` concurrent requests, spread over the processes by `share`, are admitted. */
async function admitted(processes: readonly Process[], limit: number, requests: number): Promise<number> {
  const asked = Array.from({ length: 40 }, async (_, lane) => {
    let count = 0;
    for (let sent = 0; sent < requests / 40; sent += 1) {
      const process = processes[(lane + sent) % processes.length];
      const isRead = sent % 5 > 0;
      if (await process?.isAdmitted(limit, { visitor: `visitor ${lane % 3}`, isRead })) count += 1;
    }
    return count;
  });
  return (await Promise.all(asked)).reduce((sum, count) => sum + count, 0);
}

async function storedHits({ sql }: TestDatabase, caller: string): Promise<number> {
  const { rows } = await sql.query<{ hits: number }>('select hits from rate_limits where caller = $1', [caller]);
  return rows[0]?.hits ?? 0;
}

test('processes under concurrent load never admit more than a limit, and at least 99 % of it', async () => {
  await using database = await testDatabase();
  await using one = processOf(database);
  await using two = processOf(database);
  await using three = processOf(database);
  for (const limit of [30, 100, 1_000, 20_000]) {
    const count = await admitted([one, two, three], limit, limit * 1.5);
    expect({ limit, over: count > limit, under: count < limit * 0.99 }).toEqual({ limit, over: false, under: false });
  }
});

test('a process that stops asking keeps at most half a percent from the others, and gives it back', async () => {
  await using database = await testDatabase();
  await using idle = processOf(database);
  await using busy = processOf(database);
  const limit = 2_000;
  expect([await idle.isAdmitted(limit), await idle.isAdmitted(limit)]).toEqual([true, true]);
  let count = 2;
  while (await busy.isAdmitted(limit)) count += 1;
  expect(count).toBeGreaterThanOrEqual(limit * 0.995);
  expect(count).toBeLessThan(limit);

  await busy.settle();
  await idle.settle();
  await idle.settle();
  while (await busy.isAdmitted(limit)) count += 1;
  // The request that was refused counts too.
  expect(count).toBe(limit - 1);
});

test('however many processes there are, those that stop asking keep at most one percent from the others together', async () => {
  await using database = await testDatabase();
  await using stack = new AsyncDisposableStack();
  const idle = Array.from({ length: 8 }, () => stack.use(processOf(database, 9)));
  await using busy = processOf(database, 9);
  const limit = 4_000;
  for (const process of idle)
    expect([await process.isAdmitted(limit), await process.isAdmitted(limit)]).toEqual([true, true]);
  let count = 16;
  while (await busy.isAdmitted(limit)) count += 1;
  expect(count).toBeGreaterThanOrEqual(limit * 0.99);
  expect(count).toBeLessThan(limit);
});

test('a session that raises the limit of its key counts each of its requests once, and takes nothing from other visitors', async () => {
  await using database = await testDatabase();
  await using process = processOf(database);
  const caller = 'key of both';
  for (let sent = 0; sent < 10; sent += 1) {
    expect(await process.isAdmitted(100_000, { caller, visitor: 'admin', isRaised: true })).toBe(true);
    expect(await process.isAdmitted(1_000, { caller })).toBe(true);
  }
  await process.settle(true);
  expect(await storedHits(database, caller)).toBe(20);
  expect(await storedHits(database, 'admin')).toBe(10);
});

test('a lease that a process holds admits its reads, however many requests others were refused', async () => {
  await using database = await testDatabase();
  await using holder = processOf(database);
  await using refused = processOf(database);
  const limit = 2_000;
  expect([await holder.isAdmitted(limit), await holder.isAdmitted(limit)]).toEqual([true, true]);
  for (let sent = 0; sent < limit + 100; sent += 1) await refused.isAdmitted(limit, { isRead: false });
  await holder.isAdmitted(limit, { isRead: false });
  expect(await holder.isAdmitted(limit)).toBe(true);
});

test('a lease is given back only to the window that it was counted in, also after a crash of Postgres lost the counts', async () => {
  await using database = await testDatabase();
  await using idle = processOf(database);
  await using busy = processOf(database);
  const limit = 2_000;
  const caller = `key ${limit}`;
  expect([await idle.isAdmitted(limit), await idle.isAdmitted(limit)]).toEqual([true, true]);
  await database.sql.query('truncate rate_limits');
  await busy.isAdmitted(limit);
  await idle.settle(true);
  expect(await storedHits(database, caller)).toBe(1);

  await busy.isAdmitted(limit);
  await database.sql.query('truncate rate_limits');
  await busy.settle(true);
  expect(await storedHits(database, caller)).toBe(0);
});

test('counts of visitors that could not be written are written later', async () => {
  await using database = await testDatabase();
  await using process = processOf(database);
  const limit = 100_000;
  for (let sent = 0; sent < 20; sent += 1) await process.isAdmitted(limit);
  await database.sql.query('alter table rate_limits rename to away');
  await expect(process.settle()).rejects.toThrow('rate_limits');
  await database.sql.query('alter table away rename to rate_limits');
  await process.settle();
  expect(await storedHits(database, 'one')).toBe(20);
});

test('most reads of a large limit need no statement, each change needs one, and visitors are counted all the same', async () => {
  await using database = await testDatabase();
  await using process = processOf(database);
  const limit = 100_000;
  const statementsOf = async (requests: number, isRead: boolean) => {
    using recorded = recordStatements();
    for (let sent = 0; sent < requests; sent += 1) await process.isAdmitted(limit, { isRead });
    return recorded.statements().length;
  };
  expect(await statementsOf(1_000, true)).toBeLessThanOrEqual(4);
  expect(await statementsOf(10, false)).toBe(10);
  await process.settle(true);
  expect(await storedHits(database, `key ${limit}`)).toBe(1_010);
  expect(await storedHits(database, 'one')).toBe(1_010);
});

test('a caller that only this process has heard of may use its lease during an outage', async () => {
  await using database = await testDatabase();
  await using process = processOf(database);
  const limit = 100_000;
  await process.isAdmitted(limit);
  await process.isAdmitted(limit);
  await process[Symbol.asyncDispose]();
  expect(await process.isAdmitted(limit)).toBe(true);
  await expect(process.isAdmitted(limit, { isRead: false })).rejects.toThrow();
});
