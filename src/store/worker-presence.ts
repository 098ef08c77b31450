import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Records that a worker takes tasks now. By the clock of Postgres, so that every process means the same. */
export async function recordWorkerPresence(db: Db): Promise<void> {
  await db
    .insertInto('worker_presence')
    .values({ seen_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet({ seen_at: sql<Date>`now()` }))
    .execute();
}

/** Whether a worker recorded its presence in the last `seconds`. */
export async function isWorkerPresent(db: Db, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('worker_presence')
    .select(sql<boolean>`seen_at > now() - make_interval(secs => ${seconds})`.as('present'))
    .executeTakeFirst();
  return row?.present === true;
}
