import { Counter, type Registry } from 'prom-client';

/** A counter of which each increase is an alarm, and the labels of every series that it may have. */
interface AlarmCounter<Labels extends Readonly<Record<string, string>>> {
  readonly name: string;
  readonly help: string;
  readonly series: readonly Labels[];
}

/**
 * Returns a function that counts. Every series is there with 0 from the start: Prometheus sees no increase in one that begins with 1, so the
 * first event would raise no alarm.
 */
export function alarmCounter<Labels extends Readonly<Record<string, string>>>(
  registry: Registry,
  { name, help, series }: AlarmCounter<Labels>,
): (labels: Labels) => void {
  const labelNames = Object.keys(series[0] ?? {});
  const counter = new Counter({ name, help, labelNames, registers: [registry] });
  for (const labels of series) counter.inc({ ...labels }, 0);
  return (labels) => {
    counter.inc({ ...labels });
  };
}
