import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import { prepared } from '../../src/platform/database/prepared-statements.ts';
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

test('a list that is read with ever other filters does not make a connection keep ever more plans', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const read = (label: string) => db.selectFrom('pauses').modifyFront(prepared).select(sql.lit(1).as(label)).execute();
  const plans = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_prepared_statements`.execute(db);
    return rows[0]?.n;
  };
  try {
    for (let number = 0; number < 199; number += 1) await read(`filter_${number}`);
    expect(await plans()).toBe(199);
    await read('filter_199');
    expect(await plans()).toBe(0);
    await read('filter_0');
    expect(await plans()).toBe(1);
  } finally {
    await db.destroy();
  }
});

test('a connection that is lost in a transaction says why, and is replaced', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  try {
    const change = db.transaction().execute((tx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx));
    await expect(change).rejects.toThrow('terminating connection due to administrator command');
    await expect(sql`select 1`.execute(db)).resolves.toBeDefined();
  } finally {
    await db.destroy();
  }
});
