import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';

/** A request that comes inside of another one. */
export interface InnerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly url: string;
  /** JSON text; null for no body. */
  readonly body: string | null;
  readonly idempotencyKey: string | null;
}

export interface InnerResponse {
  readonly status: number;
  /** Undefined for no body. */
  readonly body: unknown;
}

/** Answers a request as if its caller had sent it. */
export type Dispatch = (request: InnerRequest) => Promise<InnerResponse>;

/** Headers that say who calls; the others belong to the outer request. */
const CALLER_HEADERS = ['x-api-key', 'authorization', 'x-forwarded-for', 'user-agent'] as const;

/** The headers of the outer request, which was accepted, and the longest path of an item: each of its characters may take nine bytes. */
const MAX_HEAD_BYTES = 65_536;

/**
 * Sends requests of the same caller through the whole application again, over a connection in memory: key, limit, permission,
 * idempotency and log are their own.
 */
export function dispatcherOf(
  outer: Pick<IncomingMessage, 'headers' | 'socket'>,
  application: RequestListener,
  correlationId: string,
): Dispatch {
  return async ({ method, url, body, idempotencyKey }) => {
    const [client, server] = duplexPair();
    Object.assign(server, { remoteAddress: outer.socket.remoteAddress });
    createServer({ maxHeaderSize: MAX_HEAD_BYTES }, application).emit('connection', server);
    const caller = CALLER_HEADERS.map((name) => [name, outer.headers[name]] as const);
    const sent = httpRequest({
      createConnection: () => client,
      method,
      path: url,
      headers: {
        ...Object.fromEntries(caller.filter(([, value]) => value !== undefined)),
        'x-correlation-id': correlationId,
        accept: 'application/json',
        connection: 'close',
        ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
        // Without a length, node would send the body of a GET or a DELETE as if it were another request.
        ...(body !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.end(body ?? undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const payload = await text(response);
    return { status: response.statusCode ?? 500, body: payload === '' ? undefined : (JSON.parse(payload) as unknown) };
  };
}
