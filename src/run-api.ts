import cluster from 'node:cluster';
import { once } from 'node:events';
import type { ApiConfig } from './platform/config/api.ts';
import { createLogger } from './platform/observability/logger.ts';
import { type Ready, runSeveral } from './platform/http/run-several.ts';

/** What runs in each process. */
interface Running extends Ready {
  close(): Promise<void>;
}

/** Runs an api until a signal ends it, in as many processes as configured; prints its addresses when it is ready. */
export async function runApi(config: ApiConfig, open: (config: ApiConfig) => Promise<Running>): Promise<void> {
  if (cluster.worker) {
    // Node ends a process whose starter was killed at once, unless its end was asked for: running requests would be lost.
    const { worker } = cluster;
    worker.on('disconnect', () => {
      worker.exitedAfterDisconnect = true;
    });
    await runOne(await open({ ...config, metrics: { host: '127.0.0.1', port: 0 } }), tellPrimary);
  } else if (config.processes === 1) await runOne(await open(config), printReady);
  else
    await runSeveral({
      ...config,
      logger: createLogger({ service: 'api', level: config.logLevel }),
      onReady: printReady,
    });
}

async function runOne(api: Running, tell: (ready: Ready) => void): Promise<void> {
  tell({ url: api.url, metricsUrl: api.metricsUrl });
  await Promise.race(['SIGTERM', 'SIGINT', 'disconnect'].map((event) => once(process, event)));
  await api.close();
  if (cluster.worker?.isConnected() === true) cluster.worker.disconnect();
}

function tellPrimary(ready: Ready): void {
  process.send?.(ready);
}

function printReady(ready: Ready): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`);
}
