import { expect, test } from '@jest/globals';
import { lovelace } from '../../src/platform/units/money.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { latestOperatorFunds, recordOperatorFunds } from '../../src/operations/queries.ts';
import { testDatabase } from '../stack/test-database.ts';

const figuresOf = (days: Awaited<ReturnType<typeof latestOperatorFunds>>) =>
  days.map(({ held, spent }) => [Number(held), Number(spent)]);

test('one answer of the ledger that shows too little is not spent, and what is seen twice is', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const after = async (...seen: number[]) => {
    for (const held of seen) await recordOperatorFunds(db, lovelace(BigInt(held)));
    return figuresOf(await latestOperatorFunds(db, 7));
  };
  expect(await after(1000)).toEqual([[1000, 0]]);
  // A backend that answers 404 for the address, and one that is a block behind the others.
  expect(await after(0, 1000)).toEqual([[1000, 0]]);
  expect(await after(990, 1000, 990, 1000)).toEqual([[1000, 0]]);
  expect(await after(990, 980, 970, 970)).toEqual([[970, 30]]);
  expect(await after(1500, 1400, 1400)).toEqual([[1400, 130]]);
  // Another day begins with an answer that shows too little.
  await database.sql.run`update operator_funds set day = day - 1`;
  expect(await after(0)).toEqual([
    [1400, 0],
    [1400, 130],
  ]);
  expect(await after(1390, 1390)).toEqual([
    [1390, 10],
    [1400, 130],
  ]);
  expect(await after(0, 0)).toMatchObject([[0, 1400], {}]);
  await db.destroy();
});

test('the balance of a day that a clock was ahead hides no later one', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  await recordOperatorFunds(db, lovelace(1000n));
  await database.sql.run`update operator_funds set day = day + 365, seen_at = seen_at + interval '365 days'`;
  await recordOperatorFunds(db, lovelace(7n));
  expect(figuresOf(await latestOperatorFunds(db, 7))).toEqual([[7, 0]]);
  await db.destroy();
});
