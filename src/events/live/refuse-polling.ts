import type { IncomingMessage, ServerResponse } from 'node:http';
import { fieldError } from '../../platform/errors/errors.ts';
import { statusOf } from '../../platform/http/error-status.ts';

const refusal = fieldError(
  'INVALID_REQUEST',
  'transport',
  "Only `websocket` is served: give the client `transports: ['websocket']`, or read GET /api/v1/events as server-sent events",
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
