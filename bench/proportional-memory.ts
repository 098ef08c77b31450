import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Memory (MB) of the processes of this checkout that run a program, with each page that several processes share counted in parts. */
export async function proportionalMb(program: 'embedded/api.ts' | 'worker/main.ts'): Promise<number> {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => proportionalKb(pid, path)));
  const total = found.reduce<number>((sum, kilobytes) => sum + (kilobytes ?? 0), 0);
  if (total === 0) throw new Error(`no process runs ${path}`);
  return total / 1024;
}

/** Null for a process that runs something else, or has ended. */
async function proportionalKb(pid: string, path: string): Promise<number | null> {
  try {
    const parts = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    if (!parts.includes(path)) return null;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
