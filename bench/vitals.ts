/** What a process says of itself at its metrics address. */
export interface Vitals {
  readonly rssMb: number;
  readonly cpuSeconds: number;
}

export async function vitals(metricsUrl: string): Promise<Vitals> {
  const text = await (await fetch(metricsUrl)).text();
  const read = (name: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    if (line === undefined) throw new Error(`${metricsUrl} has no ${name}`);
    return Number(line.slice(name.length + 1));
  };
  return {
    rssMb: read('process_resident_memory_bytes') / 2 ** 20,
    cpuSeconds: read('process_cpu_seconds_total'),
  };
}
