import type { PrometheusMetricsExporter } from '@temporalio/worker';
import { freePort } from '../src/free-port.ts';

export interface CoreMetrics {
  /** How Temporal's Core publishes its own metrics, on this machine only. */
  readonly exporter: PrometheusMetricsExporter['prometheus'];
  /** Reads them, in Prometheus' text format. */
  read(): Promise<string>;
}

/** Chooses a free port for the metrics of Temporal's Core, because Core cannot report which port it took. */
export async function coreMetrics(): Promise<CoreMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    exporter: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
    async read() {
      const response = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(5000) });
      if (!response.ok) throw new Error(`Temporal's Core answered ${response.status} for its metrics`);
      return response.text();
    },
  };
}
