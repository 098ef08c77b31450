import { readMetrics, valueOf } from '../test/stack/metrics.ts';

/** What a process reports at its metrics address. */
export interface Vitals {
  readonly rssMb: number;
  readonly cpuSeconds: number;
}

export async function vitals(metricsUrl: string): Promise<Vitals> {
  const text = await readMetrics(metricsUrl);
  const read = (name: string) => {
    const value = valueOf(text, name);
    if (value === null) throw new Error(`${metricsUrl} has no ${name}`);
    return value;
  };
  return {
    rssMb: read('process_resident_memory_bytes') / 2 ** 20,
    cpuSeconds: read('process_cpu_seconds_total'),
  };
}
