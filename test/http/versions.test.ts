import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Instant, instant } from '../../src/platform/units/time.ts';
import type { Release } from '../../src/versions/rules.ts';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

const DAY = 86_400_000;
const deprecated = Date.UTC(2027, 0, 1);
const release = (version: string, releasedAt: number, deprecatedAt: number | null): Release => ({
  version,
  maturity: 'stable',
  releasedAt: instant(releasedAt),
  deprecatedAt: deprecatedAt === null ? null : instant(deprecatedAt),
  migrationGuide: `https://guides.example/${version}`,
});
const releases = [release('v1.0.0', 0, deprecated), release('v2.0.0', deprecated, null)];

let now: Instant;
let database: TestDatabase;
let service: Awaited<ReturnType<typeof notesService>>;
let key: string;
beforeAll(async () => {
  database = await testDatabase();
  service = await notesService({ databaseUrl: database.url, clock: { now: () => now }, releases });
  now = instant(deprecated - 1);
  key = await service.key(['ADMIN']);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const NOTE = '01890a5d-ac96-774b-bcce-b302099a8057';
const read = (version: string, options: object = { key }) =>
  service.call('GET', `/api/${version}/notes/${NOTE}`, options);
const named = ['deprecation', 'sunset', 'link', 'warning'];
const announcementOf = ({ headers }: Response) => named.map((name) => headers.get(name));

test('a version tells of its end from the instant of its deprecation, also in refusals', async () => {
  now = instant(deprecated - 1);
  expect(announcementOf(await read('v1'))).toEqual([null, null, null, null]);
  now = instant(deprecated);
  const announced = [
    'true',
    'Sat, 01 Jan 2028 00:00:00 GMT',
    '<https://guides.example/v2.0.0>; rel="deprecation"',
    '299 - "Deprecated API Version"',
  ];
  expect(announcementOf(await read('v1'))).toEqual(announced);
  const withoutKey = await read('v1', {});
  expect(withoutKey.status).toBe(401);
  expect(announcementOf(withoutKey)).toEqual(announced);
  expect(announcementOf(await service.call('GET', '/openapi.json'))).toEqual([null, null, null, null]);
});

test('after its end a version answers 410 with the minimum version and the guide, whatever the path and the key', async () => {
  now = instant(deprecated + 365 * DAY);
  const response = await read('v1');
  expect(response.status).toBe(410);
  expect(await response.json()).toMatchObject({
    status: 'error',
    error: {
      code: 'VERSION_ENDED',
      message: 'Version no longer supported',
      details: { minimumVersion: 'v2.0.0', migrationGuide: 'https://guides.example/v2.0.0' },
    },
  });
  expect((await read('v1', {})).status).toBe(410);
  expect((await service.call('POST', '/API/v0/anything')).status).toBe(410);
});

test('a version that was never released is not supported; one before the first has ended', async () => {
  now = instant(deprecated - 1);
  for (const [version, status, code] of [
    ['v0', 410, 'VERSION_ENDED'],
    ['v2', 404, 'VERSION_NOT_SUPPORTED'],
    ['v99', 404, 'VERSION_NOT_SUPPORTED'],
    ['v', 404, 'ROUTE_NOT_FOUND'],
  ] as const) {
    const response = await read(version);
    expect([version, response.status]).toEqual([version, status]);
    expect(await response.json()).toMatchObject({ error: { code } });
  }
});
