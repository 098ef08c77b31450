import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchStack } from './stack.ts';

/** Ticks of /proc. */
const TICKS_A_SECOND = 100;

/** Seconds of CPU of all processes of the embedded Postgres so far, those that have ended included. */
export async function postgresCpu({ sql }: BenchStack): Promise<number> {
  const { rows } = await sql.query<{ data_directory: string }>('show data_directory');
  const [postmaster = ''] = readFileSync(join(rows[0]?.data_directory ?? '', 'postmaster.pid'), 'utf8').split('\n');
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const ticks = processes.flatMap((pid) => {
    const stat = readStat(pid);
    if (pid === postmaster) return stat.slice(11, 15);
    return stat[1] === Number(postmaster) ? stat.slice(11, 13) : [];
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_A_SECOND;
}

/** A process of Postgres. */
export interface Backend {
  /** Whom it serves; null when nobody. */
  readonly role: string | null;
  /** Of CPU, so far. */
  readonly seconds: number;
}

/** The processes of Postgres by their number, without those that have ended. */
export async function backends({ sql }: BenchStack): Promise<ReadonlyMap<number, Backend>> {
  const { rows } = await sql.query<{ pid: number; role: string | null }>(
    'select pid, usename as role from pg_stat_activity',
  );
  return new Map(rows.map(({ pid, role }) => [pid, { role, seconds: readCpuTime(pid) }]));
}

/** Seconds that the scheduler gave to a process, more exactly than in ticks; 0 when it has ended. */
function readCpuTime(pid: number): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e9;
  } catch {
    return 0;
  }
}

/** The fields of a process after its name; nothing when it has ended. */
function readStat(pid: string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return [];
  }
}
