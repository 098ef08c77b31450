import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Logger } from './logger.ts';

export interface MetricsAddress {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

export interface PublishedMetrics {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly logger: Logger;
  /** Updates the metrics before they are read. */
  readonly refresh?: (() => Promise<void>) | undefined;
  /** Rejects while this process cannot do its work; without it, the server has no health check. */
  readonly health?: () => Promise<void>;
  /** More metrics of this process in Prometheus' text format. */
  readonly more?: (() => Promise<string>) | undefined;
}

/** A server of metrics. */
export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves `GET /metrics` in Prometheus' text format, and the health of the process at `GET /health/ready`. Throws an Error that names METRICS_PORT when the port is taken. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  { registry, logger, refresh, health, more }: PublishedMetrics,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const path = request.method === 'GET' ? request.url : undefined;
    const reading = path === undefined ? null : readingOf(path, { registry, refresh, more });
    if (reading) {
      reading.then(
        ([type, text]) => response.writeHead(200, { 'content-type': type }).end(text),
        (error: unknown) => {
          logger.error({ type: 'SYSTEM_ERROR', error }, 'the metrics are not readable');
          response.writeHead(500).end();
        },
      );
    } else if (path === '/health/ready' && health) {
      health().then(
        () => response.writeHead(200).end('ready'),
        (error: unknown) => {
          logger.warn({ error }, 'this process is not healthy');
          response.writeHead(503).end('not ready');
        },
      );
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen({ port, host });
  try {
    await once(server, 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    throw new Error(`Port ${port} (METRICS_PORT) is in use by another program`, { cause });
  }
  const { port: takenPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${takenPort}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The content type and the text of a path; null for a path without metrics. */
function readingOf(
  path: string,
  { registry, refresh, more }: Pick<PublishedMetrics, 'registry' | 'refresh' | 'more'>,
): Promise<[type: string, text: string]> | null {
  const readText = async () => (await Promise.all([registry.metrics(), more?.() ?? ''])).join('');
  if (path === '/metrics') return refreshed(async () => [registry.contentType, await readText()], refresh);
  return null;
}

async function refreshed<Result>(read: () => Promise<Result>, refresh?: () => Promise<void>): Promise<Result> {
  await refresh?.();
  return read();
}
