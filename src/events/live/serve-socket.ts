import type { Express } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pLimit from 'p-limit';
import type { Socket, ExtendedError } from 'socket.io';
import { z } from 'zod';
import type { Credentials } from '../../access/authentication.ts';
import { type Backpressure, trackBackpressure } from './event-stream.ts';
import type { LiveContext } from './live-context.ts';
import {
  createPositions,
  type Positions,
  createSubscriptions,
  subscriptionContextOf,
  type Sink,
  topicOf,
  TopicFields,
} from './subscriptions.ts';
import { ServiceError, fieldError } from '../../platform/errors.ts';
import { type AccessAudit, permissionRefusal } from '../../platform/http/access-audit.ts';
import { type AddressOf, networkOf } from '../../platform/http/client-address.ts';
import { dispatcherOf } from '../../platform/http/dispatch.ts';
import { errorBody } from '../../platform/http/error-schemas.ts';
import { serviceErrorOf, statusOf } from '../../platform/http/error-handler.ts';
import { parseRequest } from '../../platform/http/parse-request.ts';
import type { Ids } from '../../platform/units/ids.ts';
import type { Clock } from '../../platform/units/time.ts';

/** What serves sockets. A stream is a request, whose refusal the server notes. */
export interface SocketContext extends LiveContext {
  readonly accessAudit: AccessAudit;
}

/** A socket that was admitted. */
export interface EventSocket {
  /** Notes live events that were sent to it together with others; ends a socket that does not take them. */
  readonly noteSent: (events: number) => void;
}

/** Answers the requests of a socket, and sends it the events of its subscriptions. Throws what `Connections.open` throws. */
export async function serveSocket(
  context: SocketContext,
  socket: Socket,
  { credentials, ip, correlationId }: AdmittedSocket,
): Promise<EventSocket> {
  const { wallClock: clock, logger, connections, feed, accessAudit } = context;
  const gone = goneOf(socket);
  const backpressure = trackBackpressure(socket, gone);
  const bodyOf = (error: ServiceError) => errorBody(error, correlationId, clock.now());

  const end = (reason: ServiceError) => {
    socket.emit('closed', bodyOf(reason));
    socket.disconnect(true);
  };
  const onCallerChange = () => {
    subscriptions.recheck();
  };
  const { caller, client, remove } = await connections.open({ credentials, ip, end, onCallerChange });
  const positions = createPositions(socket, feed);
  const sink = sinkOf(socket, { backpressure, positions, bodyOf, end });
  const subscriptions = createSubscriptions(subscriptionContextOf(client, context), caller, sink);
  whenAborted(gone, () => {
    positions.close();
    subscriptions.close();
    remove();
  });

  const noteSent = (messages: number) => {
    if (!backpressure.count(messages)) end(new ServiceError('CONSUMER_TOO_SLOW'));
  };
  const onReply = () => {
    noteSent(1);
  };
  const onRefusal = ({ code }: ServiceError, request: string | null, error: unknown) => {
    if (code === 'SYSTEM_ERROR') logger.error({ error, correlationId }, 'a socket request failed');
    const refusal = permissionRefusal(code, caller(), request ?? 'unknown');
    if (refusal) accessAudit.note(refusal);
  };
  const answer = createAnswers(socket, { clock, bodyOf, onReply, onRefusal });
  answer('subscribe', Subscribe, ({ after, ...fields }) =>
    subscriptions.subscribe(topicOf(fields, context.networkId), after),
  );
  answer('unsubscribe', Unsubscribe, ({ subscription }) =>
    Promise.resolve({ subscription, ended: subscriptions.unsubscribe(subscription) }),
  );
  return { noteSent };
}

interface SinkParts {
  readonly backpressure: Backpressure;
  readonly positions: Positions;
  readonly bodyOf: (error: ServiceError) => { readonly error: object };
  readonly end: (reason: ServiceError) => void;
}

/** Where the events of the subscriptions of a socket go. */
function sinkOf(socket: Socket, { backpressure, positions, bodyOf, end }: SinkParts): Sink {
  return {
    async send(subscription, events) {
      socket.emit('events', { subscription, events });
      await backpressure.drained();
    },
    join(name) {
      void socket.join(name);
      positions.join(name);
    },
    leave(name) {
      void socket.leave(name);
      positions.leave(name);
    },
    refuse(subscription, reason) {
      if (reason.code === 'CONSUMER_TOO_SLOW') end(reason);
      else socket.emit('unsubscribed', { subscription, reason: bodyOf(reason).error });
    },
  };
}

/** Aborted when the socket leaves the namespace or its connection ends, which may be before it was admitted. */
function goneOf(socket: Socket): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    gone.abort();
  };
  socket.once('disconnect', abort);
  socket.conn.once('close', abort);
  if (socket.conn.readyState !== 'open') abort();
  return gone.signal;
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else
    signal.addEventListener('abort', () => {
      act();
    });
}

/** How a client of socket.io says who it is: in `auth`, because browsers send no headers of their own. */
export const Handshake = z.strictObject({
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,300}$/, 'An API key has no spaces.')
    .describe('API key. Omit it if the header `X-API-Key` has it.')
    .optional(),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,300}$/, 'A token has no spaces.')
    .describe('Token of a wallet session. Omit it to use the key alone, or if the header `Authorization` has it.')
    .optional(),
});

/** The request of `subscribe`. */
export const Subscribe = z.strictObject({
  ...TopicFields,
  after: z
    .int()
    .min(0)
    .describe(
      'Number of the last event that you have. Later events follow. 0: all events that are kept. Omitted: new ' +
        'events only. If the number is too old, or higher than the last event, the request fails with ' +
        'INVALID_REQUEST for the field `after`. Read the resources again and subscribe without it.',
    )
    .optional(),
});

/** The request of `unsubscribe`. */
export const Unsubscribe = z.strictObject({
  subscription: z.string().max(300).describe('Topic, as `subscribe` returned it.'),
});

/** Requests of a socket in a window of time. */
const MAX_REQUESTS = 200;
const WINDOW_MS = 60_000;

type Respond = (payload: unknown) => Promise<object>;

interface AnswerOptions {
  readonly clock: Clock;
  /** The body that a caller gets for an error. */
  readonly bodyOf: (error: ServiceError) => object;
  /** Called for each answer that was sent. */
  readonly onReply: () => void;
  /** Called for each request that was refused, with its name; null for one that is none. */
  readonly onRefusal: (error: ServiceError, request: string | null, cause: unknown) => void;
}

/**
 * Returns how to answer the requests of a socket: each by an acknowledgement, one after the other, so many in a minute. Events with other names than those that are
 * answered are refused with INVALID_REQUEST at `event`.
 */
function createAnswers(socket: Socket, { clock, bodyOf, onReply, onRefusal }: AnswerOptions) {
  let [requests, windowEndsAt] = [0, 0];
  // Else a socket that asks for much at once would be served before all others.
  const serialized = pLimit(1);

  function count(): void {
    const now = clock.now();
    if (now >= windowEndsAt) [requests, windowEndsAt] = [0, now + WINDOW_MS];
    requests += 1;
    if (requests > MAX_REQUESTS)
      throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: Math.ceil((windowEndsAt - now) / 1000) });
  }

  /** Answers what came with an event; its last part is the acknowledgement that the client wants, if it does. */
  function onRequest(name: string | null, respond: Respond, sent: readonly unknown[]): void {
    const [payload, acknowledge] = [sent[0], sent.at(-1)];
    const reply = (body: object) => {
      if (typeof acknowledge !== 'function') return;
      (acknowledge as (body: object) => void)(body);
      onReply();
    };
    const answered = async () => {
      count();
      return { status: 'success', data: await serialized(() => respond(payload)) };
    };
    answered().then(reply, (error: unknown) => {
      const refusal = serviceErrorOf(error);
      onRefusal(refusal, name, error);
      reply(bodyOf(refusal));
    });
  }

  const names = new Set<unknown>();
  const refuseUnknown = () => {
    const message = `The event must be ${[...names].join(' or ')}.`;
    return Promise.reject(fieldError('INVALID_REQUEST', 'event', message));
  };
  socket.onAny((name: unknown, ...sent: unknown[]) => {
    if (!names.has(name)) onRequest(null, refuseUnknown, sent);
  });

  return function answer<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    handle: (request: z.output<Schema>) => Promise<object>,
  ): void {
    names.add(name);
    const respond = (payload: unknown) => {
      const { body } = parseRequest({ body: schema }, { params: {}, query: {}, body: payload }, 'INVALID_REQUEST');
      return handle(body);
    };
    socket.on(name, (...sent: unknown[]) => {
      onRequest(name, respond, sent);
    });
  };
}

/** A cheap operation that every caller may use: it counts the handshake, and refuses what any request would be refused for. */
const COUNTED_PATH = '/api/v1/versions';

/** What is known of a socket after its handshake. */
interface AdmittedSocket {
  readonly credentials: Credentials;
  readonly ip: string;
  readonly correlationId: string;
}

/** Who is asked about a socket. */
export interface Admitting {
  readonly application: Express;
  readonly addressOf: AddressOf;
}

/** Checks who connects, as a request would: keys, sessions, and limits. Throws an error for `connect_error`, whose data is the body of the refusal. */
export async function admit(
  { application, addressOf }: Admitting,
  ids: Ids,
  { handshake, request }: Socket,
): Promise<AdmittedSocket> {
  const correlationId = ids.next();
  const { body: auth } = parseRequest(
    { body: Handshake },
    { params: {}, query: {}, body: handshake.auth },
    'INVALID_REQUEST',
  );
  const credentials = {
    apiKey: auth.apiKey ?? firstOf(handshake.headers['x-api-key']),
    authorization: auth.token === undefined ? handshake.headers.authorization : `Bearer ${auth.token}`,
  };
  const headers = { ...handshake.headers, 'x-api-key': credentials.apiKey, authorization: credentials.authorization };
  const dispatch = dispatcherOf({ headers, socket: request.socket }, application, correlationId);
  const response = await dispatch({ method: 'GET', url: COUNTED_PATH, body: null, idempotencyKey: null });
  if (response.status !== 200) throw connectError(response.body);
  return { credentials, ip: networkOf(addressOf(request)), correlationId };
}

/** The error that `connect_error` gives a client, with the body that a request would get. */
export function connectError(body: unknown): ExtendedError {
  const { error } = body as { readonly error: { readonly message: string } };
  return Object.assign(new Error(error.message), { data: body });
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

const refusal = fieldError(
  'INVALID_REQUEST',
  'transport',
  "Only the transport `websocket` is available. Set `transports: ['websocket']`, or use GET /api/v1/events with server-sent events.",
);

/**
 * Refuses the transport `polling` of socket.io, which works only if each of its requests reaches the process that took the first
 * one; `bodyOf` is the body that a caller gets for an error.
 */
export function refusePolling(bodyOf: (error: typeof refusal) => object) {
  return ({ url = '' }: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (new URL(url, 'http://localhost').searchParams.get('transport') !== 'polling') {
      next();
      return;
    }
    response.writeHead(statusOf(refusal.code, false), {
      'Content-Type': 'application/json',
      'Cache-Control': 'private, no-store',
    });
    response.end(JSON.stringify(bodyOf(refusal)));
  };
}
