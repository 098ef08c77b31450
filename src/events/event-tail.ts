import { EventEmitter, once } from 'node:events';
import pLimit from 'p-limit';
import { type EventMessage, messageOf } from './publish.ts';
import { eventChannel, eventRows, lastEventNumber, type NumberedEvent, numberOf, readEvent } from './queries/events.ts';
import { type Topic, topicNamesOf } from './rules.ts';
import type { Db } from '../platform/database/database.ts';
import { decodeRows, type OnUnreadable } from '../platform/database/decode-rows.ts';
import { listen, type Listening } from '../platform/database/notifications.ts';
import type { Limited } from '../platform/http/concurrency.ts';
import type { MicroCache } from '../platform/http/micro-cache.ts';
import type { Logger } from '../platform/observability/logger.ts';

/** Events read at a time. */
const PAGE = 200;
/** An event is read this late at most when its notification was lost, in milliseconds. */
const LONGEST_PAUSE_MS = 1000;

interface EventTailOptions {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly onUnreadable: OnUnreadable;
  /** Dropped before anybody gets the event of a change; whoever then reads sees the change. */
  readonly microCache: Pick<MicroCache, 'drop' | 'setListening'>;
}

interface EventTail {
  /** Number of the last event that was read. */
  readonly position: () => number;
  close(): Promise<void>;
}

/** Reads new events as they get their numbers, from the last one on. Rejects when the database is unavailable. */
async function openEventTail(
  options: EventTailOptions,
  onEvents: (events: readonly NumberedEvent[]) => void,
): Promise<EventTail> {
  const { db, logger, onUnreadable, microCache } = options;
  const numbered = createWake();
  let isClosing = false;
  let position = await lastEventNumber(db);
  const listening = listenForEvents(options, numbered.wake);
  const ended = run();

  async function run(): Promise<void> {
    let failing = false;
    while (!isClosing) {
      try {
        while ((await readPage()) === PAGE);
        failing = false;
      } catch (error) {
        // Nothing is lost: the next read begins at the same position. One log entry per outage is enough.
        if (!failing) logger.error({ type: 'SYSTEM_ERROR', error }, 'events cannot be read');
        failing = true;
      }
      await numbered.next();
    }
  }

  async function readPage(): Promise<number> {
    const rows = await eventRows(db, { kind: 'all' }, { after: position, limit: PAGE });
    const last = rows.at(-1);
    if (last === undefined) return 0;
    position = numberOf(last);
    microCache.drop();
    onEvents(decodeRows(rows, readEvent, onUnreadable));
    return rows.length;
  }

  return {
    position: () => position,
    async close() {
      isClosing = true;
      numbered.wake();
      await Promise.all([ended, listening.close()]);
    },
  };
}

/** Calls `onNumbered` when there may be new events, and drops what is cached before. */
function listenForEvents({ databaseUrl, logger, microCache }: EventTailOptions, onNumbered: () => void): Listening {
  return listen({
    databaseUrl,
    channel: eventChannel,
    onMessage: () => {
      microCache.drop();
      onNumbered();
    },
    onListening: () => {
      microCache.setListening(true);
      onNumbered();
    },
    onLost: (error) => {
      microCache.setListening(false);
      logger.warn({ error }, 'database notifications do not arrive; events are late and no response is cached');
    },
  });
}

/** Lets a loop pause until it is woken, also by what happened while it did not pause. */
function createWake() {
  let isWoken = false;
  let resume = (): void => undefined;
  return {
    wake: () => {
      isWoken = true;
      resume();
    },
    async next() {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LONGEST_PAUSE_MS);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isWoken = false;
    },
  };
}

/** New events, by the name of each topic they belong to. */
export type EventBatch = ReadonlyMap<string, readonly EventMessage[]>;

/** What a subscriber does while it catches up. */
export interface CatchUp {
  readonly topic: Topic;
  /** Number of the last event that the subscriber has. */
  readonly after: number;
  /** The concurrency limit of the subscriber. There is one for all, too. */
  readonly limited: Limited;
  /** Takes events in their order; resolves when there is room for more. */
  readonly send: (events: readonly EventMessage[]) => Promise<void>;
  /** Called once nothing is missing: every later event of the topic is in a batch. */
  readonly join: () => void;
  readonly signal: AbortSignal;
}

/** The events of all processes, read by this one as they get their numbers. */
export interface EventFeed {
  /** Number of the last event that was in a batch. */
  readonly position: () => number;
  /** Calls the listener with each batch of new events; returns how to stop. */
  readonly onBatch: (listener: (batch: EventBatch) => void) => () => void;
  /** Replays the events after a number until the subscriber can join the live ones, without a gap and without a repetition. */
  readonly catchUp: (options: CatchUp) => Promise<void>;
  close(): Promise<void>;
}

type Batches = EventEmitter<{ batch: [EventBatch] }>;

interface EventFeedOptions extends EventTailOptions {
  /** Fewer than the connections of `db`: new events are read by one of them. */
  readonly replaysAtOnce: number;
}

/** Opens the feed at the last event. Rejects when the database is unavailable. */
export async function openEventFeed(options: EventFeedOptions): Promise<EventFeed> {
  const replays = pLimit(options.replaysAtOnce);
  const batches: Batches = new EventEmitter<{ batch: [EventBatch] }>().setMaxListeners(0);
  const tail = await openEventTail(options, (events) => batches.emit('batch', batchOf(events)));
  return {
    position: tail.position,
    onBatch(listener) {
      batches.on('batch', listener);
      return () => batches.off('batch', listener);
    },
    catchUp: (request) => catchUp({ ...options, replays }, tail.position, batches, request),
    close: () => tail.close(),
  };
}

async function catchUp(
  { db, onUnreadable, replays }: EventTailOptions & { readonly replays: Limited },
  position: () => number,
  batches: Batches,
  request: CatchUp,
): Promise<void> {
  const { topic, after, limited, send, join, signal } = request;
  let from = after;
  while (!signal.aborted) {
    const upTo = position();
    if (from === upTo) {
      join();
      return;
    }
    // A subscriber that comes from another process may be ahead of this one.
    if (from > upTo) await once(batches, 'batch', { signal }).catch(unlessAborted(signal));
    else {
      const page = { after: from, upTo, limit: PAGE };
      // Who has left meanwhile needs none.
      const read = () => (signal.aborted ? Promise.resolve([]) : eventRows(db, topic, page));
      const rows = await limited(() => replays(read));
      const last = rows.at(-1);
      from = last && rows.length === PAGE ? numberOf(last) : upTo;
      const events = decodeRows(rows, readEvent, onUnreadable);
      if (events.length > 0) await send(events.map(messageOf));
    }
  }
}

function unlessAborted(signal: AbortSignal) {
  return (error: unknown) => {
    if (!signal.aborted) throw error;
  };
}

function batchOf(events: readonly NumberedEvent[]): EventBatch {
  const batch = new Map<string, EventMessage[]>();
  for (const event of events) {
    const message = messageOf(event);
    for (const name of topicNamesOf(event)) {
      const messages = batch.get(name);
      if (messages) messages.push(message);
      else batch.set(name, [message]);
    }
  }
  return batch;
}
