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
