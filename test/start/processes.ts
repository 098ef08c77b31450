import { readdirSync, readFileSync } from 'node:fs';

/** Processes whose command line or environment names the folder or the port; zombies do not count. */
export function processesOf(...marks: readonly string[]): { pid: number; command: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    const command = read(pid, 'cmdline').replaceAll('\0', ' ');
    const all = command + read(pid, 'environ');
    const isOurs = command !== '' && marks.some((mark) => all.includes(mark));
    return isOurs ? [{ pid: Number(pid), command }] : [];
  });
}

/** Empty for a process that has just ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
