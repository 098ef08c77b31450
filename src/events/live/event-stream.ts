import { once } from 'node:events';
import type { Socket } from 'socket.io';
import type { LiveContext } from './live-context.ts';
import { createSubscriptions, subscriptionContextOf } from './subscriptions.ts';
import type { EventMessage } from '../publish.ts';
import type { Topic } from '../rules.ts';
import { ServiceError } from '../../platform/errors.ts';
import { ipOf } from '../../platform/http/client-address.ts';
import { errorBody } from '../../platform/http/error-schemas.ts';
import type { LocalResponse } from '../../platform/http/request-locals.ts';

/** Proxies close connections that are silent for longer, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * Writes the events of a topic as server-sent events until one side ends the response: those after `after`, or from now on. Throws
 * what a read of the topic throws, TOO_MANY_CONNECTIONS, and INVALID_REQUEST at `after`.
 */
export async function streamEvents(
  context: LiveContext,
  response: LocalResponse,
  { topic, after }: { readonly topic: Topic; readonly after: number | undefined },
): Promise<void> {
  const { wallClock, feed, connections } = context;
  const { req: request, locals } = response;
  const { signal: gone, whenGone } = goneOf(response);
  const writer = createEventWriter(response, gone);
  let isLive = false;

  const end = (reason: ServiceError) => {
    isLive = false;
    writer.end(errorBody(reason, locals.correlationId, wallClock.now()));
  };
  const opened = await connections.open({
    credentials: { apiKey: request.get('X-API-Key'), authorization: request.get('Authorization') },
    ip: ipOf(request),
    end,
    onCallerChange: () => {
      subscriptions.recheck();
    },
  });
  whenGone(opened.remove);
  const setLive = (live: boolean) => () => {
    isLive = live;
  };
  const subscriptions = createSubscriptions(subscriptionContextOf(opened.client, context), opened.caller, {
    send: (_name, events) => writer.send(events),
    join: setLive(true),
    leave: setLive(false),
    refuse: (_name, reason) => {
      end(reason);
    },
  });
  whenGone(subscriptions.close);
  const { subscription, after: start } = await subscriptions.subscribe(topic, after);
  const stopListening = feed.onBatch((batch) => {
    const events = isLive ? batch.get(subscription) : undefined;
    if (events && !writer.sendLive(events)) end(new ServiceError('CONSUMER_TOO_SLOW'));
  });
  whenGone(stopListening);
  const keepAlive = setInterval(() => {
    if (isLive) writer.sendPosition(feed.position());
  }, KEEP_ALIVE_MS);
  whenGone(() => {
    clearInterval(keepAlive);
  });
  response.writeHead(200, headers);
  // A reader that loses the connection before its first event knows where to continue.
  response.write(`retry: 1000\nid: ${start}\n\n`);
}

/** Tells when a response is over, also when it was over before. */
function goneOf(response: LocalResponse) {
  const gone = new AbortController();
  const whenGone = (act: () => void) => {
    if (response.closed) act();
    else response.on('close', act);
  };
  whenGone(() => {
    gone.abort();
  });
  return { signal: gone.signal, whenGone };
}

/** A reader takes what was sent within this time, in milliseconds. */
const DRAIN_MS = 30_000;
/** A reader gets the reason why its stream ends within this time, in milliseconds. */
const ENDING_MS = 5_000;
/** That may wait for a reader of live events. */
const MAX_WAITING_BYTES = 1_000_000;

/** Writes server-sent events (WHATWG HTML, 9.2). Once the response is ended, which a reader may not notice for a while, nothing more is written. */
interface EventWriter {
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

/** Live events and answers that may wait for a socket. */
const MAX_WAITING = 5_000;

/** What waits to be sent to a socket. */
export interface Backpressure {
  /** Resolves when nothing waits. */
  readonly drained: () => Promise<void>;
  /** Counts live events and answers that were sent; returns false when too many wait. */
  readonly count: (events: number) => boolean;
}

export function trackBackpressure({ conn: connection }: Socket, gone: AbortSignal): Backpressure {
  let [packets, waiting] = [0, 0];
  connection.on('packetCreate', () => {
    packets += 1;
  });
  connection.on('drain', () => {
    [packets, waiting] = [0, 0];
  });
  return {
    async drained() {
      if (packets === 0) return;
      const signal = AbortSignal.any([gone, AbortSignal.timeout(DRAIN_MS)]);
      await once(connection, 'drain', { signal }).catch(() => {
        throw new ServiceError('CONSUMER_TOO_SLOW');
      });
    },
    count(events) {
      if (packets > 0) waiting += events;
      return waiting <= MAX_WAITING;
    },
  };
}
