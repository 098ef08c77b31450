import type { Request } from 'express';
import { expect, test } from '@jest/globals';
import { type Instant, instant, secondsAfter } from '../../src/platform/units/time.ts';
import { createFailedCredentials } from '../../src/platform/http/authenticate.ts';
import { createRefusedCallers } from '../../src/platform/http/rate-limiter.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createRequestCounts } from '../../src/platform/http/request-counts.ts';
import { testDatabase } from '../stack/test-database.ts';

const WINDOW_SECONDS = 900;

/** A clock that is a year ahead, and then no longer. */
function clockAhead() {
  const start = instant(new Date());
  let now: Instant = secondsAfter(start, 365 * 86_400);
  return {
    now: () => now,
    comesBack(seconds = 0) {
      now = secondsAfter(start, seconds);
    },
  };
}

test('a process whose clock was ahead refuses nobody for longer than a window, in no process', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  const [ahead, clock] = [clockAhead(), clockAhead()];
  clock.comesBack();
  const [first, other] = [ahead, clock].map((of) => createRequestCounts(db, of, WINDOW_SECONDS * 1000));
  const count = async (counts: typeof first) => {
    const [ofCaller] = (await counts?.count(['key', 'one'])) ?? [];
    return ofCaller;
  };
  for (let request = 0; request < 4; request += 1) await count(first);
  const end = new Date(secondsAfter(clock.now(), WINDOW_SECONDS));
  expect(await count(other)).toEqual({ hits: 1, resetsAt: end });
  ahead.comesBack();
  expect(await count(first)).toEqual({ hits: 2, resetsAt: end });
  await db.destroy();
});

test('a clock that comes back forgets whom a process refused', () => {
  const clock = clockAhead();
  const refused = createRefusedCallers(clock);
  refused.add('caller', new Date(secondsAfter(clock.now(), WINDOW_SECONDS)));
  const failed = createFailedCredentials(clock);
  const request = { ip: '192.0.2.1', get: () => 'a key' } as unknown as Request;
  for (let guess = 0; guess < 100; guess += 1) failed.record(request, { caller: null, session: true });
  const until = () => [refused.refusedUntil(() => 'caller'), failed.refusedUntil(request)];
  expect(until()).toEqual([expect.objectContaining({}), expect.objectContaining({})]);
  clock.comesBack();
  expect(until()).toEqual([null, null]);
});
