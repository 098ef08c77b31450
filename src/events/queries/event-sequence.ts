import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';

/** Whether a committed event or audit entry has no number yet. */
export async function hasUnnumberedEntries(db: Db): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from outbox where seq is null) or exists (select from audit_log where seq is null) as any
  `.execute(db);
  return rows[0]?.any === true;
}

/** The number of committed events that have no sequence number yet. */
export async function countUnnumberedEvents(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from outbox where seq is null`.execute(db);
  return Number(rows[0]?.count);
}

/** Locks numbering for this transaction; returns false when another transaction has the lock. */
export async function lockNumbering(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('sequencer', 0)) as taken
  `.execute(tx);
  return rows[0]?.taken === true;
}

export const eventChannel = 'events';

/** Numbers the oldest unnumbered events, without a gap; returns how many. */
export async function numberEvents(tx: Transaction, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with waiting as (select id, recorded from outbox where seq is null order by recorded limit ${limit}),
         numbered as (select id, row_number() over (order by recorded) as place from waiting)
    update outbox set seq = (select coalesce(max(seq), 0) from outbox) + place
    from numbered where outbox.id = numbered.id
  `.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Lets every process hear that there are new events or audit entries, when `tx` commits. */
export async function tellNumbered(tx: Transaction): Promise<void> {
  await sql`select pg_notify(${eventChannel}, '')`.execute(tx);
}
