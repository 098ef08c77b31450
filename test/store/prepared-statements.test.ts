import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/store/database.ts';
import { prepared } from '../../src/store/prepared-statements.ts';
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
    expect(await plans()).toMatchObject([{ name: 'read_0', generic_plans: '2' }]);
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
