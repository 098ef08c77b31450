import type { Socket } from 'socket.io';
import type { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import type { Clock } from '../domain/units/clock.ts';
import { parseRequest } from '../server/parse-request.ts';
import { serviceErrorOf } from '../server/service-error.ts';

/** Requests of a socket in a window of time. */
const MAX_REQUESTS = 200;
const WINDOW_MS = 60_000;

interface AnswerOptions {
  readonly clock: Clock;
  /** The body that a caller gets for an error. */
  readonly bodyOf: (error: ServiceError) => object;
  /** Called for each answer that was sent. */
  readonly onReply: () => void;
  readonly onSystemError: (error: unknown) => void;
}

/** Returns how to answer the requests of a socket: each by an acknowledgement, so many in a minute. */
export function createAnswers(socket: Socket, { clock, bodyOf, onReply, onSystemError }: AnswerOptions) {
  let [requests, windowEndsAt] = [0, 0];

  /** Throws RATE_LIMIT_EXCEEDED. */
  function count(): void {
    const now = clock.now();
    if (now >= windowEndsAt) [requests, windowEndsAt] = [0, now + WINDOW_MS];
    requests += 1;
    if (requests > MAX_REQUESTS)
      throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: Math.ceil((windowEndsAt - now) / 1000) });
  }

  return function answer<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    handle: (request: z.output<Schema>) => Promise<object>,
  ): void {
    const respond = async (payload: unknown) => {
      count();
      const { body } = parseRequest({ body: schema }, { params: {}, query: {}, body: payload }, 'INVALID_REQUEST');
      return { status: 'success', data: await handle(body) };
    };
    socket.on(name, (payload: unknown, acknowledge: unknown) => {
      const reply = (body: object) => {
        if (typeof acknowledge !== 'function') return;
        (acknowledge as (body: object) => void)(body);
        onReply();
      };
      respond(payload).then(reply, (error: unknown) => {
        const refusal = serviceErrorOf(error);
        if (refusal.code === 'SYSTEM_ERROR') onSystemError(error);
        reply(bodyOf(refusal));
      });
    });
  };
}
