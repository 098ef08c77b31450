import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/** Few enough for a statement of a moment. The sweep takes portion after portion. */
const AT_ONCE = 10_000;

interface PastRows {
  readonly table: string;
  /** Of an index. A column, because a process may not be allowed to read the others. */
  readonly column: string;
  /** Inclusive. */
  readonly until: Date | RawBuilder<Date>;
}

/** Deletes the oldest rows whose time has passed, a bounded number at once; returns how many. */
export async function deleteOldRows(db: Db, { table, column, until }: PastRows): Promise<number> {
  const [rows, time] = [sql.table(table), sql.ref(column)];
  const { numAffectedRows = 0n } = await sql`
    delete from ${rows} where ${time} <= (
      select max(past) from (
        select ${time} as past from ${rows} where ${time} <= ${until} order by ${time} limit ${AT_ONCE}
      ) as oldest)`.execute(db);
  return Number(numAffectedRows);
}

/** A portion of fewer rows was the last: the next sweep takes what has become old since. */
const FEW = 500;

/** Deletes portion after portion, each a statement of its own, until one is small or the time is up; at least one. */
export async function deleteInBatches(deletePortion: () => Promise<number>, isTimeUp: () => boolean): Promise<void> {
  let deleted = await deletePortion();
  while (deleted >= FEW && !isTimeUp()) deleted = await deletePortion();
}
