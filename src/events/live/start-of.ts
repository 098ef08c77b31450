import { fieldError } from '../../platform/errors/errors.ts';
import type { EventFeed } from '../event-feed.ts';
import type { Db } from '../../platform/database/database.ts';
import { type KeptNumbers, keptNumbers } from '../queries/listed-events.ts';

/** Where a subscription begins: after this event, or at the newest one. Throws the errors of `requireKept`. */
export async function startOf(db: Db, feed: EventFeed, after: number | undefined): Promise<number> {
  if (after === undefined) return feed.position();
  if (after > 0 && after !== feed.position()) requireKept(after, feed.position(), await keptNumbers(db));
  return after;
}

/**
 * Throws INVALID_REQUEST at `after` beyond the last event, and where the next one is no longer kept; after 0 are all that there are.
 * `position` is how far this process has read: another one may have sent later events, which are in `kept`.
 */
export function requireKept(after: number, position: number, { first, last }: KeptNumbers): void {
  const deleted = first - 1;
  if (after > 0 && after < position && after < deleted)
    throw fieldError('INVALID_REQUEST', 'after', `Events up to number ${deleted} are no longer kept`);
  if (after > position && after > last)
    throw fieldError('INVALID_REQUEST', 'after', `The last event has the number ${last}`);
}
