import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import { inSavepoint } from '../../src/platform/database/statements.ts';
import { testDatabase } from '../stack/test-database.ts';

test('a limit of time undoes the whole transaction, and what a statement says only its part', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  await using _ = { [Symbol.asyncDispose]: () => db.destroy() };
  const fail = (code: string) =>
    db.transaction().execute((tx) =>
      inSavepoint(tx, async () => {
        await sql`do ${sql.raw(`$$ begin raise exception using errcode = '${code}'; end $$`)}`.execute(tx);
      }),
    );
  for (const code of ['57014', '55P03', '40P01']) await expect(fail(code)).rejects.toMatchObject({ code });
  expect(await fail('23505')).toMatchObject({ error: { code: '23505' } });
});
