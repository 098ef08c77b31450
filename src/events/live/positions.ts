import type { Socket } from 'socket.io';
import type { EventFeed } from '../event-feed.ts';

/** How often a client learns how far a quiet subscription is, in milliseconds. Events are kept for at least a day. */
const EVERY_MS = 600_000;

/** The subscriptions of a socket that have all events up to the newest one. */
export interface Positions {
  /** Tells the client that nothing is missing, now and then again. */
  readonly join: (subscription: string) => void;
  readonly leave: (subscription: string) => void;
  readonly close: () => void;
}

export function createPositions(socket: Pick<Socket, 'emit'>, feed: Pick<EventFeed, 'position'>): Positions {
  const joined = new Set<string>();
  const send = (subscription: string) => {
    socket.emit('position', { subscription, after: feed.position() });
  };
  const timer = setInterval(() => {
    for (const subscription of joined) send(subscription);
  }, EVERY_MS);
  return {
    join(subscription) {
      joined.add(subscription);
      send(subscription);
    },
    leave: (subscription) => void joined.delete(subscription),
    close() {
      clearInterval(timer);
    },
  };
}
