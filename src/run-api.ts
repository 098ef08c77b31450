import { once } from 'node:events';
import type { ApiConfig } from './platform/config/api.ts';

/** A running api. */
interface Running {
  readonly url: string;
  readonly metricsUrl: string;
  close(): Promise<void>;
}

/** Runs an api until a signal ends it; prints its addresses when it is ready. */
export async function runApi(config: ApiConfig, open: (config: ApiConfig) => Promise<Running>): Promise<void> {
  const api = await open(config);
  const { url, metricsUrl } = api;
  process.stdout.write(`${JSON.stringify({ ready: true, url, metricsUrl })}\n`);
  await Promise.race(['SIGTERM', 'SIGINT', 'disconnect'].map((event) => once(process, event)));
  await api.close();
}
