import { wallClock } from '../../platform/units/clock.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import { runAll } from '../../platform/errors/failures.ts';
import type { Db } from '../../platform/database/database.ts';
import { deletePortions } from '../../platform/database/delete-portions.ts';
import { deleteFreeActions } from '../../proposals/queries/free-actions.ts';
import { deleteExpiredResponses } from '../../platform/http/queries/idempotency.ts';
import { deleteExpiredNonces } from '../../access/queries/nonces.ts';
import { deleteOldEvents } from '../../events/queries/numbered-events.ts';
import { deleteEndedWindows } from '../../platform/http/queries/rate-limits.ts';
import { deleteExpiredSessions } from '../../access/queries/sessions.ts';
import { deleteVersionUsage } from '../../versions/queries/version-usage.ts';
import { deleteSentMessages } from '../../platform/temporal/workflow-outbox.ts';

/** Of the five minutes of a sweep: some million rows. The next sweep begins when this one has ended. */
const SECONDS = 30;
/** As long as the longest support window of a version, and some. */
const USAGE_KEPT_DAYS = 400;

interface Kept {
  readonly eventsKeptDays: number;
  /** The instant, by the clock of the service, since which free actions count. */
  readonly freeActionsSince: Instant;
}

/**
 * Deletes the rows whose time has passed, table by table at once and each portion by portion while there is time. They are kept for so long
 * in the world, so their time is wall time: a development clock that jumps deletes nothing early, and what it dates later stays longer.
 */
export async function deleteExpired(db: Db, { eventsKeptDays, freeActionsSince }: Kept): Promise<void> {
  const started = wallClock.now();
  const now = new Date(started);
  const isTimeUp = () => wallClock.now() > secondsAfter(started, SECONDS);
  const portions = [
    () => deleteExpiredNonces(db, now),
    () => deleteExpiredSessions(db, now),
    () => deleteExpiredResponses(db, now),
    () => deleteEndedWindows(db, now),
    () => deleteSentMessages(db),
    () => deleteOldEvents(db, daysBefore(now, eventsKeptDays)),
    () => deleteFreeActions(db, freeActionsSince),
  ];
  await runAll(
    [
      ...portions.map((portion) => () => deletePortions(portion, isTimeUp)),
      // A row for each client and day.
      () => deleteVersionUsage(db, daysBefore(now, USAGE_KEPT_DAYS)),
    ],
    TABLES_AT_ONCE,
  );
}

/** Of the connections of a worker. */
const TABLES_AT_ONCE = 4;

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000);
