import type { Socket } from 'socket.io';
import type { z } from 'zod';
import { fieldError, ServiceError } from '../../platform/errors/errors.ts';
import pLimit from 'p-limit';
import type { Clock } from '../../platform/units/clock.ts';
import { parseRequest } from '../../platform/http/parse-request.ts';
import { serviceErrorOf } from '../../platform/http/service-error.ts';

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
export function createAnswers(socket: Socket, { clock, bodyOf, onReply, onRefusal }: AnswerOptions) {
  let [requests, windowEndsAt] = [0, 0];
  // Else a socket that asks for much at once would be served before all others.
  const oneAtATime = pLimit(1);

  /** Throws RATE_LIMIT_EXCEEDED. */
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
      return { status: 'success', data: await oneAtATime(() => respond(payload)) };
    };
    answered().then(reply, (error: unknown) => {
      const refusal = serviceErrorOf(error);
      onRefusal(refusal, name, error);
      reply(bodyOf(refusal));
    });
  }

  const names = new Set<unknown>();
  const refuseUnknown = () => {
    const message = `The event of a request is ${[...names].join(' or ')}`;
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
