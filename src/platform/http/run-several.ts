import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { Logger } from '../observability/logger.ts';
import { type MetricsAddress, serveMetrics } from '../observability/metrics-server.ts';

/** The addresses of a process that is ready. */
export interface Ready {
  readonly url: string;
  readonly metricsUrl: string;
}

interface SeveralOptions {
  readonly processes: number;
  /** Where the sums of all processes are served. */
  readonly metrics: MetricsAddress;
  readonly logger: Logger;
  readonly onReady: (ready: Ready) => void;
}

/** A process that ends soon after its start is started again later and later. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const SOON_MS = 60_000;
const SCRAPE_MS = 5_000;

/** Runs processes on one port; those that end are started again. Throws an Error when one cannot start at first. */
export async function runSeveral({ processes, metrics: address, logger, onReady }: SeveralOptions): Promise<void> {
  const stopped = new AbortController();
  const asked = Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal)));
  const running = new Map<number, Ready>();
  const lives: Promise<void>[] = [];
  async function stop(): Promise<void> {
    stopped.abort();
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    await Promise.all(lives);
  }
  let url = '';
  // One after the other: the first one migrates the database.
  for (let number = 0; number < processes; number += 1) {
    const worker = cluster.fork();
    const ready = await Promise.race([readyOf(worker, running), asked.then(() => null)]);
    if (ready === null) return stop();
    ({ url } = ready);
    lives.push(keepAlive(worker, running, { logger, stopped: stopped.signal }));
  }
  const registry = { contentType: new Registry().contentType, metrics: () => sumOf([...running.values()], logger) };
  await using metrics = await serveMetrics(address, { registry, logger });
  onReady({ url, metricsUrl: metrics.url });
  await asked;
  await stop();
}

/** Waits until a process listens. Throws an Error when it ends before. */
async function readyOf(worker: Worker, running: Map<number, Ready>): Promise<Ready> {
  const ended = once(worker, 'exit').then(() => {
    throw new Error('a process of the api ended before it was ready');
  });
  const [ready] = (await Promise.race([once(worker, 'message'), ended])) as [Ready];
  ended.catch(() => undefined);
  running.set(worker.id, ready);
  return ready;
}

interface Life {
  readonly logger: Logger;
  readonly stopped: AbortSignal;
}

/** Starts a process again whenever it ends, until all are stopped. */
async function keepAlive(first: Worker, running: Map<number, Ready>, { logger, stopped }: Life): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  for (let worker = first; ; worker = cluster.fork()) {
    const began = performance.now();
    const ended = once(worker, 'exit');
    if (worker !== first) readyOf(worker, running).catch(() => undefined);
    const [code, signal] = (await ended) as [number | null, string | null];
    running.delete(worker.id);
    if (stopped.aborted) return;
    pauseMs = performance.now() - began < SOON_MS ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
    logger.error({ type: 'SYSTEM_ERROR', code, signal, againInMs: pauseMs }, 'a process of the api has ended');
    if (await isStoppedWithin(pauseMs, stopped)) return;
  }
}

function isStoppedWithin(ms: number, stopped: AbortSignal): Promise<boolean> {
  return pause(ms, false, { signal: stopped }).catch(() => true);
}

/** The metrics of all processes that answer: counts are added, and what all of them read from Postgres is shown once. */
async function sumOf(running: readonly Ready[], logger: Logger): Promise<string> {
  const all = await Promise.allSettled(
    running.map(async ({ metricsUrl }) => {
      const response = await fetch(`${metricsUrl}.json`, { signal: AbortSignal.timeout(SCRAPE_MS) });
      return (await response.json()) as object[];
    }),
  );
  for (const each of all)
    if (each.status === 'rejected')
      logger.warn({ error: each.reason as unknown }, 'the metrics of a process are missing');
  const answered = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  return AggregatorRegistry.aggregate(answered).metrics();
}
