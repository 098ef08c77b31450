import { Gauge, type Registry } from 'prom-client';

/** Returns a function that shows when a Schedule last started its workflow, when that last succeeded, and whether it is paused. */
export function scheduleMetrics(
  registry: Registry,
): (seen: { scheduleId: string; startedAt: Date | null; succeededAt: Date | null; isPaused: boolean }) => void {
  const started = new Gauge({
    name: 'schedule_started_timestamp_seconds',
    help: 'When a Schedule last started its workflow: one that is paused or lost, or whose last run hangs, starts none',
    labelNames: ['schedule'],
    registers: [registry],
  });
  const succeeded = new Gauge({
    name: 'schedule_succeeded_timestamp_seconds',
    help: 'When a run of a Schedule last succeeded; of one of which no success is known, when it was created',
    labelNames: ['schedule'],
    registers: [registry],
  });
  const paused = new Gauge({
    name: 'schedule_paused',
    help: 'Whether an operator has paused a Schedule (1 or 0)',
    labelNames: ['schedule'],
    registers: [registry],
  });
  return ({ scheduleId: schedule, startedAt, succeededAt, isPaused }) => {
    if (startedAt !== null) started.set({ schedule }, startedAt.getTime() / 1000);
    if (succeededAt !== null) succeeded.set({ schedule }, succeededAt.getTime() / 1000);
    paused.set({ schedule }, isPaused ? 1 : 0);
  };
}
