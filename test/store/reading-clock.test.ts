import { expect, test } from '@jest/globals';
import { type Clock, instant } from '../../src/platform/units/time.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { openReadingClock } from '../../src/platform/database/reading-clock.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';
import { recordStatements } from './recorded-statements.ts';

const wall: Clock = { now: () => instant(1_000) };

function openClockOf({ url }: TestDatabase) {
  const db = openDatabase(url, () => undefined, 1);
  const clock = openReadingClock({ db, databaseUrl: url, wall, onMoved: () => undefined, onLost: () => undefined });
  return {
    now: () => clock.readingTime(),
    async asksFor(): Promise<number> {
      using recorded = recordStatements();
      await clock.readingTime();
      return recorded.statements().length;
    },
    async [Symbol.asyncDispose]() {
      await clock.close();
      await db.destroy();
    },
  };
}

test('a moved clock is heard by every process, and reading it costs no statement', async () => {
  await using database = await testDatabase();
  await using one = openClockOf(database);
  await using two = openClockOf(database);
  for (const clock of [one, two])
    await until(async () => (await clock.asksFor()) === 0, { what: 'the clock to be followed' });
  expect(await one.now()).toBe(1_000);

  await database.sql.run`update clock_offset set offset_ms = 86400000`;

  for (const clock of [one, two]) {
    await until(async () => (await clock.now()) === 86_401_000, { what: 'the move to be heard' });
    expect(await clock.asksFor()).toBe(0);
  }
});

test('a process that cannot hear the clock reads it each time, and follows it again later', async () => {
  await using database = await testDatabase();
  await using clock = openClockOf(database);
  await until(async () => (await clock.asksFor()) === 0, { what: 'the clock to be followed' });

  await database.sql.run`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen "clock_offset"'`;
  await until(async () => (await clock.asksFor()) === 1, { what: 'the connection to be lost' });
  await database.sql.run`update clock_offset set offset_ms = 5000`;
  expect(await clock.now()).toBe(6_000);

  await until(async () => (await clock.asksFor()) === 0, { what: 'the clock to be followed again' });
  expect(await clock.now()).toBe(6_000);
});
