import { Gauge, type Registry } from 'prom-client';

/** Returns a function that shows when a Schedule last started its workflow, and whether it is paused. */
export function scheduleMetrics(
  registry: Registry,
): (seen: { scheduleId: string; startedAt: Date | null; isPaused: boolean }) => void {
  const started = new Gauge({
    name: 'schedule_started_timestamp_seconds',
    help: 'When a Schedule last started its workflow: one that is paused or lost, or whose last run hangs, starts none',
    labelNames: ['schedule'],
    registers: [registry],
  });
  const paused = new Gauge({
    name: 'schedule_paused',
    help: 'Whether an operator has paused a Schedule (1 or 0)',
    labelNames: ['schedule'],
    registers: [registry],
  });
  return ({ scheduleId: schedule, startedAt, isPaused }) => {
    if (startedAt !== null) started.set({ schedule }, startedAt.getTime() / 1000);
    paused.set({ schedule }, isPaused ? 1 : 0);
  };
}
