import { once } from 'node:events';
import type { Socket } from 'socket.io';
import { ServiceError } from '../../platform/errors/errors.ts';

/** Live events and answers that may wait for a socket. */
const MAX_WAITING = 5_000;
/** A client takes what was sent within this time, in milliseconds. */
const DRAIN_MS = 30_000;

/** What waits to be sent to a socket. */
export interface Flow {
  /** Resolves when nothing waits. Throws CONSUMER_TOO_SLOW. */
  readonly drained: () => Promise<void>;
  /** Counts live events and answers that were sent; returns false when too many wait. */
  readonly count: (events: number) => boolean;
}

export function watchFlow({ conn: connection }: Socket, gone: AbortSignal): Flow {
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
