import { describe, expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { apiReleases, type Release, isAtLeast, policyProblems, statusAt, sunsetOf, supportOf } from './rules.ts';

const DAY = 86_400_000;
const day = (number: number) => instant(number * DAY);
const release = (version: string, releasedAt: number, deprecatedAt: number | null = null): Release => ({
  version,
  maturity: 'stable',
  releasedAt: day(releasedAt),
  deprecatedAt: deprecatedAt === null ? null : day(deprecatedAt),
  migrationGuide: `/guides/${version}`,
});

const first = release('v1.4.2', 0, 400);
const second = release('v2.0.0', 400);
const third = release('v3.0.0', 800);
const releases = [first, second, third];
const kindAt = (major: number, at: number) => supportOf(releases, major, day(at)).kind;

test('the releases of this service keep the policy', () => {
  expect(policyProblems(apiReleases)).toEqual([]);
  expect(policyProblems(releases)).toEqual([]);
});

test('a version is active, then deprecated for the support window, then it has ended, each to the millisecond', () => {
  expect(kindAt(1, 399)).toBe('active');
  expect(supportOf(releases, 1, instant(400 * DAY - 1)).kind).toBe('active');
  expect(supportOf(releases, 1, day(400))).toEqual({
    kind: 'deprecated',
    release: first,
    sunset: day(765),
    guide: '/guides/v2.0.0',
  });
  expect(supportOf(releases, 1, instant(765 * DAY - 1)).kind).toBe('deprecated');
  expect(supportOf(releases, 1, day(765))).toEqual({ kind: 'ended', minimum: second });
});

test('a version that is not released yet, or never was, is unknown; one below the minimum has ended', () => {
  expect(kindAt(2, 399)).toBe('unknown');
  expect(kindAt(2, 400)).toBe('active');
  expect(kindAt(9, 400)).toBe('unknown');
  expect(supportOf(releases, 0, day(1))).toEqual({ kind: 'ended', minimum: first });
});

test('v0 of this service has ended, and v1 is supported', () => {
  const [v1] = apiReleases;
  const kinds = [0, 1, 2].map((major) => supportOf(apiReleases, major, v1?.releasedAt ?? instant(0)).kind);
  expect(kinds).toEqual(['ended', 'active', 'unknown']);
});

test('nobody has less than 180 days of notice', () => {
  const late = [release('v1.0.0', 0, 1000), release('v2.0.0', 400)] as const;
  expect(sunsetOf(late, late[0])).toBe(day(1180));
  expect(statusAt(late, late[0], day(1179))).toBe('deprecated');
  expect(statusAt(late, late[0], day(1180))).toBe('sunset');
});

describe('a list of releases is refused', () => {
  test.each<[string, Release[], string]>([
    [
      'with a third supported version',
      [release('v1.0.0', 0), release('v2.0.0', 1), release('v3.0.0', 2)],
      'v3.0.0 would be supported version 3',
    ],
    [
      'whose third version comes before the end of the first',
      [release('v1.0.0', 0, 400), release('v2.0.0', 400), release('v3.0.0', 764)],
      'v3.0.0 would be supported version 3',
    ],
    [
      'with one major version twice',
      [release('v1.0.0', 0), release('v1.1.0', 1)],
      'v1.1.0 does not raise the major version',
    ],
    ['in another order', [release('v1.0.0', 5), release('v2.0.0', 1)], 'v2.0.0 is released before v1.0.0'],
    ['with a deprecation before the release', [release('v1.0.0', 5, 1)], 'v1.0.0 is deprecated before its release'],
    ['with another form of version', [release('1.0', 0)], '1.0 is not v<major>.<minor>.<patch>'],
  ])('%s', (_case, list, problem) => {
    expect(policyProblems(list)).toEqual([problem]);
  });
});

test('versions are compared by number, not by text', () => {
  expect([isAtLeast('v1.10.0', 'v1.9.0'), isAtLeast('v1.9.0', 'v1.10.0'), isAtLeast('v2.0.0', 'v1.9.9')]).toEqual([
    true,
    false,
    true,
  ]);
  expect([isAtLeast('v1.0.0', 'v1.0.0'), isAtLeast('v1.0.0', 'v1.0.1')]).toEqual([true, false]);
});
