import { fieldError } from '../domain/errors.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { Db } from '../store/database.ts';
import { lastEventNumber } from '../store/numbered-events.ts';

/** Where a subscription begins: after this event, or at the newest one. Throws INVALID_REQUEST at `after` beyond the last event. */
export async function startOf(db: Db, feed: EventFeed, after: number | undefined): Promise<number> {
  if (after === undefined) return feed.position();
  if (after <= feed.position()) return after;
  // Another process may have sent events that this one has not read yet.
  const last = await lastEventNumber(db);
  if (after > last) throw fieldError('INVALID_REQUEST', 'after', `The last event has the number ${last}`);
  return after;
}
