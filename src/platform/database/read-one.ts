import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { prepared } from './prepared-statements.ts';

/** Reads in one statement a row that may be absent, and whether the reader may see the collection it would be in. */
export async function readOne<Shown, Tables extends keyof Shown, Row>(
  db: Db,
  wanted: SelectQueryBuilder<Shown, Tables, Row>,
  visible: RawBuilder<boolean>,
): Promise<{ row: Row | null; isVisible: boolean }> {
  const one = wanted.select(sql<boolean>`true`.as('row_found'));
  const { rows } = await sql<
    Row & { readonly row_found: boolean | null; readonly row_visible: boolean }
  >`select ${prepared} one.*, row_visible
    from (select ${visible} as row_visible) as collection left join ${one} as one on row_visible`.execute(db);
  const [found] = rows;
  return { row: found?.row_found === true ? found : null, isVisible: found?.row_visible === true };
}
