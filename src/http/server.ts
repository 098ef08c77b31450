import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningServer {
  readonly url: string;
  /** Stops listening, lets running requests finish for a while, then ends their connections. */
  close(): Promise<void>;
}

/** How long a request that is running may take to finish when the server closes. */
const graceMs = 10_000;

/** Listens on `host`:`port` (0 takes a free port); rejects when the port is taken. */
export async function startServer(
  listener: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 }, listener);
  server.listen(port, host);
  await once(server, 'listening');
  const { port: takenPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${takenPort}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => {
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearTimeout(impatience);
    },
  };
}
