import { availableParallelism, cpus, loadavg } from 'node:os';

/** The machine and its load now, for the first line of a table. */
export function machine(): string {
  const [cpu] = cpus();
  return `${availableParallelism()} cores (${cpu?.model ?? 'unknown'}), Node ${process.version}, ${machineLoad()}`;
}

/** The average load of the last minute. */
export function machineLoad(): string {
  return `load ${loadavg()[0]?.toFixed(1) ?? '?'}`;
}
