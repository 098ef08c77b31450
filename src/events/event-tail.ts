import type { Logger } from '../platform/observability/logger.ts';
import type { Db } from '../platform/database/database.ts';
import { eventChannel } from './queries/event-sequence.ts';
import { decodeRows, type OnUnreadable } from '../platform/database/decode-rows.ts';
import type { MicroCache } from '../platform/http/micro-cache.ts';
import { listen, type Listening } from '../platform/database/notifications.ts';
import { eventRows, lastEventNumber, type NumberedEvent, numberOf, readEvent } from './queries/numbered-events.ts';

/** Events read at a time. */
const PAGE = 200;
/** An event is read this late at most when its notification was lost, in milliseconds. */
const LONGEST_PAUSE_MS = 1000;

export interface EventTailOptions {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly onUnreadable: OnUnreadable;
  /** Dropped before anybody gets the event of a change; whoever then reads sees the change. */
  readonly microCache: Pick<MicroCache, 'drop' | 'hear'>;
}

export interface EventTail {
  /** Number of the last event that was read. */
  readonly position: () => number;
  close(): Promise<void>;
}

/** Reads new events as they get their numbers, from the last one on. Rejects when the database is unavailable. */
export async function openEventTail(
  { db, databaseUrl, logger, onUnreadable, microCache }: EventTailOptions,
  onEvents: (events: readonly NumberedEvent[]) => void,
): Promise<EventTail> {
  const numbered = createWake();
  let isClosing = false;
  let position = await lastEventNumber(db);
  const listening = listenForEvents({ databaseUrl, logger, microCache }, numbered.wake);
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
function listenForEvents(
  { databaseUrl, logger, microCache }: Pick<EventTailOptions, 'databaseUrl' | 'logger' | 'microCache'>,
  onNumbered: () => void,
): Listening {
  return listen({
    databaseUrl,
    channel: eventChannel,
    onMessage: () => {
      microCache.drop();
      onNumbered();
    },
    onListening: () => {
      microCache.hear(true);
      onNumbered();
    },
    onLost: (error) => {
      microCache.hear(false);
      logger.warn({ error }, 'events arrive late, no response is cached: notifications of the database are not heard');
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
