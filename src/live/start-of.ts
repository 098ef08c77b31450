import { fieldError } from '../domain/errors.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { Db } from '../store/database.ts';
import { firstEventNumber, lastEventNumber } from '../store/numbered-events.ts';

/**
 * Where a subscription begins: after this event, or at the newest one. Throws INVALID_REQUEST at `after` beyond the last event, and where
 * the next one is no longer kept; after 0 are all that there are.
 */
export async function startOf(db: Db, feed: EventFeed, after: number | undefined): Promise<number> {
  if (after === undefined) return feed.position();
  if (after > 0 && after < feed.position()) {
    const deleted = (await firstEventNumber(db)) - 1;
    if (after < deleted)
      throw fieldError('INVALID_REQUEST', 'after', `Events up to number ${deleted} are no longer kept`);
  }
  if (after <= feed.position()) return after;
  // Another process may have sent events that this one has not read yet.
  const last = await lastEventNumber(db);
  if (after > last) throw fieldError('INVALID_REQUEST', 'after', `The last event has the number ${last}`);
  return after;
}
