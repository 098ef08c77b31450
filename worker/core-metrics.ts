import type { PrometheusMetricsExporter } from '@temporalio/worker';
import { freePort } from '../src/free-port.ts';

export interface CoreMetrics {
  /** The address where Temporal's Core serves its metrics, on this machine only. */
  readonly exporter: PrometheusMetricsExporter['prometheus'];
  /** Fetches the metrics in Prometheus' text format. */
  read(): Promise<string>;
}

/** Chooses the port where Temporal's Core serves its metrics. Core cannot report a port that it chooses itself. */
export async function createCoreMetrics(): Promise<CoreMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    exporter: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
    async read() {
      const response = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(5000) });
      if (!response.ok) throw new Error(`Temporal's Core returned ${response.status} for its metrics`);
      return response.text();
    },
  };
}
