import { type Clock, type Instant, instant } from '../units/time.ts';
import type { Db } from './database.ts';
import { listen, type Listening } from './notifications.ts';
import { readClockOffset } from './unit-of-work.ts';

interface ReadingClockOptions {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly wall: Clock;
  /** What was read before shows the time before. */
  readonly onMoved: () => void;
  readonly onLost: (error: unknown) => void;
}

/** The development clock as an api reads it. */
export interface ReadingClock extends Listening {
  readonly readingTime: () => Promise<Instant>;
}

/**
 * Follows the offset of the development clock: Postgres tells it at each move (milliseconds later), so that a read needs no query for
 * it. While it cannot be heard, it is read from Postgres each time.
 */
export function openReadingClock({ db, databaseUrl, wall, onMoved, onLost }: ReadingClockOptions): ReadingClock {
  /** Null while the offset cannot be heard. */
  let heard: { offsetMs: number | null } | null = null;
  const hear = (connection: { offsetMs: number | null }, offsetMs: number) => {
    // A slow query may answer after a later message; the clock never goes back.
    connection.offsetMs = Math.max(offsetMs, connection.offsetMs ?? offsetMs);
    onMoved();
  };
  const listening = listen({
    databaseUrl,
    channel: 'clock_offset',
    onMessage: (payload) => {
      if (heard) hear(heard, Number(payload));
    },
    onListening: () => {
      const connection = { offsetMs: null };
      heard = connection;
      readClockOffset(db).then((offsetMs) => {
        hear(connection, offsetMs);
      }, onLost);
    },
    onLost: (error) => {
      heard = null;
      onLost(error);
    },
  });
  return {
    readingTime: async () => instant(wall.now() + (heard?.offsetMs ?? (await readClockOffset(db)))),
    close: () => listening.close(),
  };
}
