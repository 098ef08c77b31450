import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningServer {
  readonly url: string;
  /** Stops listening, lets running requests finish for a while, then ends their connections. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly requestTimeoutSeconds?: number;
  /** Longer than a proxy in front keeps its connections, or it meets closed ones. */
  readonly keepAliveSeconds?: number;
  /** How long a running request may take to finish when the server closes. */
  readonly graceSeconds?: number;
}

/** Listens on `host`:`port` (0 takes a free port); rejects when the port is taken. */
export async function startServer(listener: RequestListener, options: ServerOptions): Promise<RunningServer> {
  const { host, port, requestTimeoutSeconds = 30, keepAliveSeconds = 75, graceSeconds = 10 } = options;
  const requestTimeout = requestTimeoutSeconds * 1000;
  const headersTimeout = Math.min(requestTimeout, 10_000);
  const server = createServer({ requestTimeout, headersTimeout, keepAliveTimeout: keepAliveSeconds * 1000 }, listener);
  let closing = false;
  server.on('request', (_request, response) => {
    // A connection that outlives its last request would hold the server open until its keep-alive ends.
    response.on('close', () => {
      if (closing)
        setImmediate(() => {
          server.closeIdleConnections();
        });
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: takenPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${takenPort}`,
    async close() {
      closing = true;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => {
        server.closeAllConnections();
      }, graceSeconds * 1000);
      await closed;
      clearTimeout(impatience);
    },
  };
}
