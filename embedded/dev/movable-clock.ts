import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { wallClock, type Instant, instant, secondsAfter } from '../../src/platform/units/time.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import type { Db, Transaction } from '../../src/platform/database/database.ts';
import { clockLock } from '../../src/platform/database/unit-of-work.ts';
import { upkeepDivision } from '../../src/platform/temporal/schedules.ts';
import { nextDueInstant, workflowsWithTimers, unfinished } from './due-instants.ts';
import { waitUntilSettled, type SettleDeps } from './wait-until-idle.ts';

const MOVES_AT_ONCE = 20;

export interface ClockDeps extends Omit<SettleDeps, 'now'> {
  readonly client: Client;
  readonly taskQueue: string;
}

/** The clock of the whole stack, which a developer can move forward (design §7). */
export interface MovableClock {
  now(): Promise<Instant>;
  /**
   * Moves the clock by `seconds`, as a discrete-event loop: from one due instant to the next, waiting for its effects each time. Returns the
   * instant reached.
   */
  advance(seconds: number): Promise<Instant>;
  /** Sets Postgres and the ledger to the same time after a start; workflows follow with the next `advance`. */
  align(): Promise<void>;
}

export function createMovableClock(deps: ClockDeps): MovableClock {
  const { db } = deps;
  const now = async () => instant(wallClock.now() + (await offsetOf(db)));
  const rest = () => waitUntilSettled({ ...deps, now });

  async function advance(seconds: number): Promise<Instant> {
    // Workflows that a crash in the middle of a move left behind catch up first.
    await moveWorkflows(deps, await align(deps));
    const target = secondsAfter(await now(), seconds);
    for (;;) {
      await rest();
      const step = await stepTowards(deps, target);
      if (step === 'there') return now();
      if (step === 'disturbed') continue;
      // Before the workflows move, so that none of their timers finds a stale price.
      await refreshPrices(deps);
      await moveWorkflows(deps, step.offsetMs);
    }
  }

  return {
    now,
    advance: (seconds) => withClockLock(db, () => advance(seconds)),
    async align() {
      await withClockLock(db, () => align(deps));
    },
  };
}

/** Only one process may move the clock. The lock ends with its database session. */
function withClockLock<Result>(db: Db, act: () => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (session) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_lock(hashtextextended('clock mover', 0)) as mine
    `.execute(session);
    if (rows[0]?.mine !== true) throw new ServiceError('CLOCK_IS_MOVING');
    try {
      return await act();
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended('clock mover', 0))`.execute(session);
    }
  });
}

type Step = 'there' | 'disturbed' | { readonly offsetMs: number };

/** Moves the clock and the ledger's slots to the next due instant, while no unit of work is under way. */
function stepTowards({ db, ledgerControls }: ClockDeps, target: Instant): Promise<Step> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${clockLock})`.execute(tx);
    // One reading serves for `now` and for the new offset: otherwise an instant milliseconds ahead could fall behind it.
    const wall = wallClock.now();
    const now = instant(wall + (await offsetOf(tx)));
    // A request came before the lock: its transaction must be confirmed before its TTL passes.
    if ((await unfinished(tx, now)).length > 0) return 'disturbed';
    if (now >= target) return 'there';
    const due = await nextDueInstant(tx, now);
    const to = due !== null && due < target ? due : target;
    const offsetMs = to - wall;
    await storeOffset(tx, offsetMs);
    await ledgerControls.moveClock(offsetMs);
    return { offsetMs };
  });
}

/** After a crash between the two clocks the later one is right, because no clock goes back. Returns the offset. */
async function align({ db, ledgerControls }: ClockDeps): Promise<number> {
  const { offsetMs: ledgerOffsetMs } = await ledgerControls.clock();
  const offsetMs = await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${clockLock})`.execute(tx);
    const furthest = Math.max(ledgerOffsetMs, await offsetOf(tx));
    await storeOffset(tx, furthest);
    return furthest;
  });
  if (offsetMs > ledgerOffsetMs) await ledgerControls.moveClock(offsetMs);
  return offsetMs;
}

async function moveWorkflows({ db, workflowTime }: ClockDeps, offsetMs: number): Promise<void> {
  const waiting = await workflowsWithTimers(db, ['DRAFT', 'ACTIVE', 'LOCKED']);
  const lane = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await workflowTime.moveTo(next, offsetMs);
  };
  await Promise.all(Array.from({ length: MOVES_AT_ONCE }, lane));
}

/** Refreshes prices once, as the Schedule would have done while time passed. */
async function refreshPrices({ client, taskQueue }: ClockDeps): Promise<void> {
  const workflowId = `valuation-refresh-after-move-${randomUUID()}`;
  await client.workflow.execute('valuationRefresh', {
    taskQueue,
    workflowId,
    workflowExecutionTimeout: '1 minute',
    typedSearchAttributes: [upkeepDivision],
  });
}

async function offsetOf(db: Db | Transaction): Promise<number> {
  const { offset_ms: offset } = await db.selectFrom('clock_offset').select('offset_ms').executeTakeFirstOrThrow();
  return Number(offset);
}

async function storeOffset(tx: Transaction, offsetMs: number): Promise<void> {
  // The api may change no clock; this function may (embedded/databases.ts).
  await sql`select development.store_clock_offset(${offsetMs})`.execute(tx);
}
