import { once } from 'node:events';
import { ServiceError } from '../../platform/errors/errors.ts';
import type { EventMessage } from '../message.ts';
import type { LocalResponse } from '../../platform/http/request-locals.ts';

/** A reader takes what was sent within this time, in milliseconds. */
const DRAIN_MS = 30_000;
/** A reader gets the reason why its stream ends within this time, in milliseconds. */
const ENDING_MS = 5_000;
/** That may wait for a reader of live events. */
const MAX_WAITING_BYTES = 1_000_000;

/** Writes server-sent events (WHATWG HTML, 9.2). Once the response is ended, which a reader may not notice for a while, nothing more is written. */
export interface EventWriter {
  /** Resolves when there is room for more. Throws CONSUMER_TOO_SLOW, also when the response is ended. */
  readonly send: (events: readonly EventMessage[]) => Promise<void>;
  /** Returns false when too much waits for the reader. */
  readonly sendLive: (events: readonly EventMessage[]) => boolean;
  /** Moves the reader's place on, without an event. */
  readonly sendPosition: (seq: number) => void;
  /** Sends the reason and ends the response. */
  readonly end: (reason: object) => void;
}

export function createEventWriter(response: LocalResponse, gone: AbortSignal): EventWriter {
  return {
    async send(events) {
      if (response.writableEnded) throw new ServiceError('CONSUMER_TOO_SLOW');
      if (response.write(textOf(events))) return;
      const signal = AbortSignal.any([gone, AbortSignal.timeout(DRAIN_MS)]);
      await once(response, 'drain', { signal }).catch(() => {
        throw new ServiceError('CONSUMER_TOO_SLOW');
      });
    },
    sendLive(events) {
      if (!response.writableEnded) response.write(textOf(events));
      return response.writableLength <= MAX_WAITING_BYTES;
    },
    sendPosition(seq) {
      if (!response.writableEnded) response.write(`id: ${seq}\n\n`);
    },
    end(reason) {
      if (response.writableEnded) return;
      response.end(`event: closed\ndata: ${JSON.stringify(reason)}\n\n`);
      setTimeout(() => response.destroy(), ENDING_MS).unref();
    },
  };
}

function textOf(events: readonly EventMessage[]): string {
  return events.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
