import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Stops a process and its children for some milliseconds: they keep their connections and answer nothing. */
export async function suspendTree(pid: number, ms: number): Promise<void> {
  const pids = treeOf(pid);
  signal(pids, 'SIGSTOP');
  try {
    await pause(ms);
  } finally {
    signal(pids.toReversed(), 'SIGCONT');
  }
}

/** Kills a process and its children at once, as a power failure would. */
export function killTree(pid: number): void {
  signal(treeOf(pid), 'SIGKILL');
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** A process and those it has started, as the backends of Postgres, each of which leads a group of its own. */
function treeOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [pid, ...processes.map(Number).filter((child) => parentOf(child) === pid)];
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
