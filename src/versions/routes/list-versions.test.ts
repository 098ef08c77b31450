import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import type { Release } from '../rules.ts';
import { listVersionsRoute } from './versions.ts';

const DAY = 86_400_000;
const day = (number: number) => instant(number * DAY);
const release = (version: string, maturity: Release['maturity'], times: [number, number | null]): Release => ({
  version,
  maturity,
  releasedAt: day(times[0]),
  deprecatedAt: times[1] === null ? null : day(times[1]),
  migrationGuide: `/docs/migrations/${version}`,
});
const releases = [release('v1.4.0', 'stable', [0, 400]), release('v2.0.0', 'beta', [400, null])];

/** The response on a day. */
function respondOn(number: number) {
  const context = { releases, wallClock: { now: () => day(number) } };
  return listVersionsRoute.respond({ params: {}, query: {}, body: {} }, {} as never, context as never);
}

const listing = (...versions: object[]) => ({ status: 200, body: { data: { versions } } });

test('a version has its maturity as status until it is deprecated, and is listed from its release on', async () => {
  const sunsetAt = '1972-02-05T00:00:00.000Z';
  const active = { version: 'v1.4.0', status: 'stable', deprecationStatus: 'active', sunsetAt };
  const second = { version: 'v2.0.0', status: 'beta', deprecationStatus: 'active', sunsetAt: null };
  const deprecated = { ...active, status: 'deprecated', deprecationStatus: 'deprecated' };
  expect(await respondOn(399)).toMatchObject(listing(active));
  expect(await respondOn(400)).toMatchObject(listing(deprecated, second));
  expect(await respondOn(765)).toMatchObject(listing({ ...deprecated, deprecationStatus: 'sunset' }, second));
});
