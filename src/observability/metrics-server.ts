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
  readonly registry: Registry;
  readonly logger: Logger;
  /** Updates the metrics before they are read. */
  readonly refresh?: () => Promise<void>;
  /** More metrics of this process in Prometheus' text format. */
  readonly more?: () => Promise<string>;
}

/** A server of metrics. */
export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves `GET /metrics` in Prometheus' text format. Throws an Error that names METRICS_PORT when the port is taken. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  { registry, logger, refresh, more }: PublishedMetrics,
): Promise<MetricsServer> {
  async function read(): Promise<string> {
    await refresh?.();
    return (await Promise.all([registry.metrics(), more?.() ?? ''])).join('');
  }

  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    read().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => {
        logger.error({ type: 'SYSTEM_ERROR', error }, 'the metrics cannot be read');
        response.writeHead(500).end();
      },
    );
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    throw new Error(`Port ${port} (METRICS_PORT) is taken by another program`, { cause });
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
