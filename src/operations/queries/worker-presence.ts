import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

/** A worker that did not record its presence for this long is gone: far longer than one is busy or without a connection. */
const GONE_AFTER = '1 minute';

/** One that was seen so much later than now was seen while the clock of Postgres was ahead. */
const isAhead = sql<boolean>`seen_at > now() + interval '1 minute'`;

/** Records that a worker takes tasks now, by the clock of Postgres, so that every process means the same. Removes those that are gone. */
export async function recordWorkerPresence(db: Db, id: string): Promise<void> {
  const now = sql<Date>`now()`;
  await db
    .insertInto('worker_presence')
    .values({ worker_id: id, seen_at: now })
    .onConflict((conflict) => conflict.column('worker_id').doUpdateSet({ seen_at: now }))
    .execute();
  // One that was seen ahead of now, and is there, records itself again within seconds.
  const isGone = sql<boolean>`(seen_at < now() - ${GONE_AFTER}::interval or ${isAhead})`;
  await db.deleteFrom('worker_presence').where(isGone).execute();
}

/** Removes a worker that takes no more tasks. */
export async function removeWorkerPresence(db: Db, id: string): Promise<void> {
  await db.deleteFrom('worker_presence').where('worker_id', '=', id).execute();
}

/** Whether a worker recorded its presence in the last `seconds`. */
export async function isWorkerPresent(db: Db, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('worker_presence')
    .select('seen_at')
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .where(sql<boolean>`not (${isAhead})`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
