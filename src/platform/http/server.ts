import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface RunningServer {
  readonly url: string;
  /** Stops listening, waits up to `graceSeconds` for running requests, then closes all connections. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly requestTimeoutSeconds?: number;
  /** Must be longer than a proxy in front keeps its connections open. */
  readonly keepAliveSeconds?: number;
  /** How long a client may read nothing of a response before its connection is closed. Longer than events keep silent. */
  readonly unreadSeconds?: number;
  /** Time that running requests get to finish when the server closes. */
  readonly graceSeconds?: number;
  /** Adds what else the server serves; it is closed before the server is. */
  readonly attach?: (server: Server) => { readonly close: () => void };
  /** What the paths of requests begin with that may become sockets of what is attached. */
  readonly socketPath?: string;
}

/** Listens on `host`:`port`. Rejects when the port is in use. */
export async function startServer(listener: RequestListener, options: ServerOptions): Promise<RunningServer> {
  const { host, port, requestTimeoutSeconds = 30, keepAliveSeconds = 75 } = options;
  const { unreadSeconds = 60, graceSeconds = 10, socketPath } = options;
  const requestTimeout = requestTimeoutSeconds * 1000;
  const headersTimeout = Math.min(requestTimeout, 10_000);
  // Node looks for slow clients every 30 s unless told otherwise, however short the timeouts are.
  const connectionsCheckingInterval = Math.min(headersTimeout / 2, 5_000);
  const keepAliveTimeout = keepAliveSeconds * 1000;
  const answer: RequestListener = (request, response) => {
    // Express would answer an invalid address with a body that is not the contract's.
    if (isBrokenAddress(request.url)) request.url = '/';
    listener(request, response);
  };
  const timeouts = { requestTimeout, headersTimeout, keepAliveTimeout, connectionsCheckingInterval };
  // Some clients offer HTTP/2 with each request. An offer may be passed over (RFC 9110, 7.8); else nobody would answer the request.
  const shouldUpgradeCallback = ({ url }: IncomingMessage) =>
    socketPath !== undefined && url?.startsWith(socketPath) === true;
  // A request without a body has no stream to read, whose events nobody waits for.
  const server = createServer({ ...timeouts, shouldUpgradeCallback, optimizeEmptyRequests: true }, answer);
  // HTTP allows to pass over an expectation that is not known; Node would answer it with an error without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  closeUnread(server, unreadSeconds * 1000);
  const closeIdle = closerOfIdleConnections(server);
  const attached = options.attach?.(server);
  server.listen(port, host);
  await once(server, 'listening');
  const { port: takenPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${takenPort}`,
    async close() {
      const closed = once(server, 'close');
      attached?.close();
      server.close();
      closeIdle();
      const deadline = setTimeout(() => {
        server.closeAllConnections();
      }, graceSeconds * 1000);
      await closed;
      clearTimeout(deadline);
    },
  };
}

/** Whether a request names a whole address, as a proxy is asked for one, that cannot be read. */
function isBrokenAddress(target: string | undefined): boolean {
  return target !== undefined && /^https?:/i.test(target) && !URL.canParse(target);
}

/** Closes the connections of clients that stop to read: what waits for them would stay in memory without end. */
function closeUnread(server: Server, afterMs: number): void {
  server.timeout = afterMs;
  server.on('request', (_request, response) => {
    // Without a listener, a request that takes its time would be cut off as well.
    response.on('timeout', (socket: Socket) => {
      if (response.headersSent) socket.destroy();
    });
  });
}

/** Returns a function that closes the connections without a running request, at once and when a request ends later. */
function closerOfIdleConnections(server: Server): () => void {
  // Node's closeIdleConnections keeps connections that never had a request, and those that become idle later.
  const running = new Map<Socket, number>();
  let ending = false;
  const change = (socket: Socket, by: number) => {
    const count = (running.get(socket) ?? 0) + by;
    running.set(socket, count);
    if (ending && count === 0) socket.end();
  };
  server.on('connection', (socket: Socket) => {
    change(socket, 0);
    socket.on('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    change(socket, 1);
    response.on('close', () => {
      if (running.has(socket)) change(socket, -1);
    });
  });
  return () => {
    ending = true;
    for (const socket of running.keys()) change(socket, 0);
  };
}
