import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import type { Ids } from '../units/ids.ts';
import { type Clock, type Instant, instant } from '../units/time.ts';

/** The clock: exact inside a transaction, and as this process last read it outside of one. */
export interface DatabaseClock extends Clock {
  /** The instant of a transaction; a development clock cannot be moved until the transaction ends. */
  within(tx: Transaction): Promise<{ now: Instant; offsetMs: number }>;
}

/** The clock of every deployment but the embedded one: wall time, without an offset. */
export function productionClock(wall: Clock): DatabaseClock {
  return {
    now: () => wall.now(),
    within: () => Promise.resolve({ now: wall.now(), offsetMs: 0 }),
  };
}

/** Taken shared by every unit of work (`locked_clock_offset` in Postgres), exclusively by the code that moves the development clock (design §7). */
export const clockLock = sql`hashtextextended('clock', 0)`;

/** The offset of the development clock in milliseconds. */
export async function readClockOffset(db: Db | Transaction): Promise<number> {
  const row = await db.selectFrom('clock_offset').select('offset_ms').executeTakeFirstOrThrow();
  return Number(row.offset_ms);
}

/** A clock with the offset stored in Postgres (embedded stack only). `now()` uses the offset as last read. */
export function offsetClock(wall: Clock): DatabaseClock & { refresh(db: Db): Promise<void> } {
  let seen = 0;
  return {
    now: () => instant(wall.now() + seen),
    async within(tx) {
      const { rows } = await sql<{ offset: string }>`select locked_clock_offset() as offset`.execute(tx);
      seen = Number(rows[0]?.offset);
      return { now: instant(wall.now() + seen), offsetMs: seen };
    },
    async refresh(db) {
      seen = await readClockOffset(db);
    },
  };
}

export type UnitOfWork = <T>(work: (context: TransactionContext) => Promise<T>) => Promise<T>;

/** Runs all changes of a request or activity in one Postgres transaction, at one instant. No network call belongs inside. */
export function createUnitOfWork(db: Db, clock: DatabaseClock, ids: Ids): UnitOfWork {
  return (work) =>
    db.transaction().execute(async (tx) => {
      const { now } = await clock.within(tx);
      return work({ tx, ids, now });
    });
}

/** What a change of state needs: one Postgres transaction, new ids and one instant. */
export interface TransactionContext {
  readonly tx: Transaction;
  readonly ids: Ids;
  readonly now: Instant;
}
