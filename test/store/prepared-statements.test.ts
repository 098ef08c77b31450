import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import { testDatabase } from '../stack/test-database.ts';

test('a prepared statement is planned once for each connection, and still runs after a migration changes its table, also in a transaction', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const read = () => db.selectFrom('pauses').selectAll().execute();
  const plans = async () => {
    const ofPauses = sql`select generic_plans from pg_prepared_statements where statement like '%pauses%'`;
    return (await db.transaction().execute((tx) => ofPauses.execute(tx))).rows;
  };
  try {
    expect([await read(), await read()]).toEqual([[], []]);
    expect(await plans()).toEqual([{ generic_plans: '2' }]);
    await database.sql.run`alter table pauses add column note text`;
    await database.sql.run`insert into pauses (area, reason, since) values ('creation', 'why', now())`;
    const inTransaction = db.transaction().execute(async (tx) => {
      const rows = await tx.selectFrom('pauses').selectAll().execute();
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
  const read = (label: string) => db.selectFrom('pauses').select(sql.lit(1).as(label)).execute();
  const plans = async () => {
    const count = sql<{
      n: number;
    }>`select count(*)::int as n from pg_prepared_statements where statement like '%pauses%'`;
    const { rows } = await db.transaction().execute((tx) => count.execute(tx));
    return rows[0]?.n;
  };
  try {
    for (let number = 0; number < 450; number += 1) await read(`filter_${number}`);
    expect(await plans()).toBeLessThanOrEqual(200);
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
