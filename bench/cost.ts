import { setTimeout as pause } from 'node:timers/promises';
import { postgresCpu } from './postgres-cpu.ts';
import type { BenchStack } from './stack.ts';
import { vitals } from './vitals.ts';

/** A backend reports what it has read once it is idle for a while. */
const REPORTED_AFTER_MS = 2_000;
/** A table that has more rows read by scans than this was not just small. */
const SCANNED_ROWS = 5_000;

/** What some work takes. */
export interface Cost {
  readonly seconds: number;
  /** Seconds of the worker and of this process, which may do the work instead. */
  readonly serviceCpu: number;
  readonly postgresCpu: number;
  /** Rows and entries of indexes that were read, by all statements in the meantime. */
  readonly rows: number;
  /** The large tables that were scanned. */
  readonly scanned: readonly string[];
}

/** Does the work; returns what it took. */
export async function costOf(stack: BenchStack, work: () => Promise<unknown>): Promise<Cost> {
  const before = await used(stack);
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const after = await used(stack);
  return {
    seconds,
    serviceCpu: after.serviceCpu - before.serviceCpu,
    postgresCpu: after.postgresCpu - before.postgresCpu,
    rows: after.rows - before.rows,
    scanned: [...after.scanned].flatMap(([table, rows]) =>
      rows - (before.scanned.get(table) ?? 0) > SCANNED_ROWS ? [table] : [],
    ),
  };
}

async function used(stack: BenchStack) {
  await pause(REPORTED_AFTER_MS);
  const { rows } = await stack.sql.query<{ table: string; scanned: string; found: string }>(
    `select relname as table, seq_tup_read as scanned,
       coalesce((select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid), 0) as found
     from pg_stat_user_tables t`,
  );
  const { user, system } = process.cpuUsage();
  return {
    serviceCpu: (await vitals(stack.workerMetricsUrl)).cpuSeconds + (user + system) / 1e6,
    postgresCpu: await postgresCpu(stack),
    rows: rows.reduce((sum, { scanned, found }) => sum + Number(scanned) + Number(found), 0),
    scanned: new Map(rows.map(({ table, scanned }) => [table, Number(scanned)])),
  };
}
