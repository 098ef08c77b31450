import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Logger } from './logger.ts';

export interface MetricsAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface PublishedMetrics {
  readonly registry: Registry;
  readonly logger: Logger;
  /** Brings the metrics up to date before they are read. */
  readonly refresh?: () => Promise<void>;
  /** Further metrics in Prometheus' text format, from elsewhere in this process. */
  readonly more?: () => Promise<string>;
}

/** Where metrics are read. */
export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves `GET /metrics` in Prometheus' text format; rejects with an Error that names METRICS_PORT when it is taken. */
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
