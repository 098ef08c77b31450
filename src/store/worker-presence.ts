import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';

/** A process that takes tasks, and the changes of the workflows that its release knows. */
export interface PresentWorker {
  readonly id: string;
  readonly changes: readonly string[];
}

/** A worker that did not record its presence for this long is gone: far longer than one is busy or without a connection. */
const GONE_AFTER = '1 minute';

/** One that was seen so much later than now was seen while the clock of Postgres was ahead. */
const isAhead = sql<boolean>`seen_at > now() + interval '1 minute'`;

/**
 * Records that a worker takes tasks now, by the clock of Postgres, so that every process means the same. A change that all present
 * workers know is active from now on. Returns all active changes; a worker that does not know each of them is not recorded.
 */
export function recordWorkerPresence(db: Db, { id, changes }: PresentWorker): Promise<readonly string[]> {
  return db.transaction().execute(async (tx) => {
    // One after the other: a worker that comes sees what is active, or those that are present see that it has come.
    await sql`select pg_advisory_xact_lock(hashtextextended('worker_presence', 0))`.execute(tx);
    const active = await findActiveChanges(tx);
    if (!active.every((change) => changes.includes(change))) return active;
    // It may be there, so that it has as long as any other.
    await tx
      .updateTable('worker_presence')
      .set({ seen_at: sql<Date>`now()` })
      .where(isAhead)
      .execute();
    const gone = sql<Date>`now() - ${GONE_AFTER}::interval`;
    await tx.deleteFrom('worker_presence').where('seen_at', '<', gone).execute();
    await tx
      .insertInto('worker_presence')
      .values({ only_row: null, worker_id: id, changes: [...changes], seen_at: sql<Date>`now()` })
      .onConflict((conflict) => conflict.column('worker_id').doUpdateSet({ seen_at: sql<Date>`now()` }))
      .execute();
    return active.length === changes.length ? active : activateChanges(tx, changes);
  });
}

async function findActiveChanges(tx: Transaction): Promise<string[]> {
  const rows = await tx.selectFrom('workflow_changes').select('id').execute();
  return rows.map(({ id }) => id);
}

async function activateChanges(tx: Transaction, changes: readonly string[]): Promise<string[]> {
  await sql`insert into workflow_changes (id)
    select change from unnest(${[...changes]}::text[]) change
    where not exists (select from worker_presence where change <> all (changes))
    on conflict do nothing`.execute(tx);
  return findActiveChanges(tx);
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
