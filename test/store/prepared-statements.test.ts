import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import { fenceClose, shareFence } from '../../src/platform/database/fences.ts';
import { prepared } from '../../src/platform/database/prepared-statements.ts';
import { activePauses, pausesRead } from '../../src/operations/queries/pauses.ts';
import { runTogether } from '../../src/platform/database/run-together.ts';
import { runAll, statement } from '../../src/platform/database/statements.ts';
import { testDatabase } from '../stack/test-database.ts';

test('a prepared statement is planned once for each connection, and still runs after a migration changes its table, also in a transaction', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const read = () => db.selectFrom('pauses').modifyFront(prepared).selectAll().execute();
  const plans = () =>
    db
      .selectFrom('pg_prepared_statements' as 'pauses')
      .selectAll()
      .execute();
  try {
    expect([await read(), await read()]).toEqual([[], []]);
    expect(await plans()).toMatchObject([{ generic_plans: '2' }]);
    await database.sql.query('alter table pauses add column note text');
    await database.sql.query("insert into pauses (area, reason, since) values ('creation', 'why', now())");
    const inTransaction = db.transaction().execute(async (tx) => {
      const rows = await tx.selectFrom('pauses').modifyFront(prepared).selectAll().execute();
      return [rows, await tx.selectFrom('pauses').select('area').execute()];
    });
    expect(await inTransaction).toMatchObject([[{ reason: 'why' }], [{ area: 'creation' }]]);
    expect([await read(), await read()]).toMatchObject([[{ reason: 'why' }], [{ reason: 'why' }]]);
  } finally {
    await db.destroy();
  }
});

test('changes that are made together are planned once, also in transactions, and still run after a migration changes their table', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const pause = (area: 'creation' | 'contribution', reason: string) =>
    db.transaction().execute(async (tx) => {
      await activePauses(tx);
      const insert = tx.insertInto('pauses').values({ area, reason, since: new Date() });
      await runTogether(tx, [insert.onConflict((known) => known.column('area').doUpdateSet({ reason }))]);
    });
  try {
    await pause('creation', 'first');
    await pause('creation', 'second');
    await database.sql.query('alter table pauses add column note text');
    await pause('contribution', 'third');
    const { rows } = await sql`select (generic_plans + custom_plans)::int as runs from pg_prepared_statements`.execute(
      db,
    );
    expect(rows).toEqual([{ runs: 3 }]);
    expect(await activePauses(db)).toMatchObject([{ reason: 'third' }, { reason: 'second' }]);
  } finally {
    await db.destroy();
  }
});

test('a read that is used again and again keeps its plan however many others come, and one that comes late is planned once, too', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const read = (label: string) => db.selectFrom('pauses').modifyFront(prepared).select(sql.lit(1).as(label)).execute();
  const plans = async () => {
    const { rows } = await sql<{ name: string; text: string; runs: number }>`
      select name, statement as text, (generic_plans + custom_plans)::int as runs from pg_prepared_statements`.execute(
      db,
    );
    return rows;
  };
  const runsOf = async (label: string) => (await plans()).find(({ text }) => text.includes(`"${label}"`))?.runs;
  try {
    for (let number = 0; number < 250; number += 1) await Promise.all([read(`filter_${number}`), read('hot')]);
    expect(await runsOf('hot')).toBe(250);
    expect(await plans()).toHaveLength(100);
    for (let again = 0; again < 3; again += 1) await read('late');
    expect([await runsOf('late'), await runsOf('filter_249'), await runsOf('filter_0')]).toEqual([3, 1, undefined]);
    await read('filter_0');
    expect([await runsOf('filter_0'), (await plans()).length]).toEqual([1, 100]);
  } finally {
    await db.destroy();
  }
});

test('a read that is sent together with a lock sees what was committed while the lock was waited for', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  try {
    const writing = db.transaction().execute(async (tx) => {
      await shareFence(tx, 'vault:1');
      const reading = db
        .transaction()
        .execute((other) => runAll(other, [fenceClose(other, 'vault:1'), pausesRead(other)]));
      const isWaiting = sql<{
        n: number;
      }>`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`;
      while ((await isWaiting.execute(tx)).rows[0]?.n === 0);
      await tx.insertInto('pauses').values({ area: 'creation', reason: 'why', since: new Date() }).execute();
      return { reading };
    });
    const [, pauses] = await (await writing).reading;
    expect(pauses).toMatchObject([{ area: 'creation' }]);
  } finally {
    await db.destroy();
  }
});

test('of statements that are sent together, the first error is thrown, and nothing of their transaction stays', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const failing = (text: string) => statement(sql.raw(text).compile(db), () => undefined);
  const pause = () => db.insertInto('pauses').values({ area: 'creation', reason: 'why', since: new Date() });
  try {
    const failed = db
      .transaction()
      .execute((tx) =>
        runAll(tx, [
          statement(pause().compile(), () => undefined),
          failing('select 1 / 0'),
          failing('select 2 / 0'),
          pausesRead(tx),
        ]),
      );
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await runAll(db, [pausesRead(db), pausesRead(db)])).toEqual([[], []]);
    const empty = await db.transaction().execute(() => Promise.resolve('nothing sent'));
    expect([empty, await runAll(db, [pausesRead(db)])]).toEqual(['nothing sent', [[]]]);
  } finally {
    await db.destroy();
  }
});
