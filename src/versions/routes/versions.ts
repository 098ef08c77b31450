import { z } from 'zod';
import type { UnitOfWork } from '../../platform/database/unit-of-work.ts';
import type { ServerContext } from '../../platform/http/app.ts';
import { enumSchema, Timestamp, VersionText } from '../../platform/http/fields.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ok, routeFor } from '../../platform/http/route.ts';
import { type Instant, isoText, secondsAfter, startOfDay } from '../../platform/units/time.ts';
import { type UsageTotal, versionUsageSince } from '../queries.ts';
import { type Release, deprecationPolicy, statusAt, sunsetOf } from '../rules.ts';

/** Defines an operation on versions, announcements and feature flags, which need neither the ledger nor Temporal. */
export const route = routeFor<ServerContext & { readonly unitOfWork: UnitOfWork; readonly environment: string }>();

const VersionStatusEnum = enumSchema('VersionStatus', ['alpha', 'beta', 'stable', 'deprecated'], {
  alpha: 'incomplete, may change in any way',
  beta: 'complete, may still change',
  stable: 'changes only in ways that break no client',
  deprecated: 'ends at `sunsetAt`',
});

const DeprecationStatusEnum = enumSchema('DeprecationStatus', ['active', 'deprecated', 'sunset'], {
  active: 'no end is planned, or it has not begun',
  deprecated: 'supported until its sunset',
  sunset: 'no longer supported. Requests return 410.',
});

const Version = z
  .object({
    version: VersionText,
    status: VersionStatusEnum,
    deprecationStatus: DeprecationStatusEnum,
    releasedAt: Timestamp.describe('Time at which the major version was released.'),
    deprecatedAt: Timestamp.nullable().describe('Time at which it is deprecated, past or planned. Otherwise `null`.'),
    sunsetAt: Timestamp.nullable().describe('End of its support. `null` if it is not planned.'),
    migrationGuide: z.string().describe('Address of the guide for moving to this version from the previous one.'),
  })
  .meta({
    id: 'ApiVersion',
    examples: [
      {
        version: 'v1.0.0',
        status: 'stable',
        deprecationStatus: 'active',
        releasedAt: '2026-11-20T00:00:00.000Z',
        deprecatedAt: null,
        sunsetAt: null,
        migrationGuide: '/docs/migrations/v1',
      },
    ],
  });

const Policy = z.object({
  noticeDays: z.int().describe('Minimum number of days between the deprecation of a version and its end.'),
  supportDays: z.int().describe('Days for which a version is supported after the release of its successor.'),
  maxSupported: z.int().describe('Maximum number of major versions that are supported at once.'),
});

export const listVersionsRoute = route({
  method: 'get',
  path: '/versions',
  operationId: 'listVersions',
  summary: 'List API versions',
  description:
    'Lists the newest minor version of each released major version, and how long it is supported. Times are real time.',
  success: 'The versions, oldest first, and the policy',
  permission: { unrestricted: 'The versions of the contract are public' },
  responses: { 200: Enveloped(z.object({ versions: z.array(Version), policy: Policy })) },
  errors: [],
  handle(_request, { releases, wallClock }) {
    const now = wallClock.now();
    const released = releases.filter(({ releasedAt }) => releasedAt <= now);
    const versions = released.map((release) => presentVersion(releases, release, now));
    return Promise.resolve(ok(enveloped({ versions, policy: deprecationPolicy }, now)));
  },
});

function presentVersion(releases: readonly Release[], release: Release, now: Instant): z.input<typeof Version> {
  const { version, maturity, releasedAt, deprecatedAt, migrationGuide } = release;
  const deprecationStatus = statusAt(releases, release, now);
  const sunsetAt = sunsetOf(releases, release);
  return {
    version,
    status: deprecationStatus === 'active' ? maturity : 'deprecated',
    deprecationStatus,
    releasedAt: isoText(releasedAt),
    deprecatedAt: deprecatedAt === null ? null : isoText(deprecatedAt),
    sunsetAt: sunsetAt === null ? null : isoText(sunsetAt),
    migrationGuide,
  };
}

const VersionUsage = z
  .object({
    version: VersionText,
    requests: z.int().describe('Number of requests to paths of this version.'),
    uniqueClients: z.int().describe('Number of API keys that sent one.'),
    errorRate: z.number().describe('Percentage of the requests that failed or were aborted.'),
    avgResponseTime: z.number().nullable().describe('Milliseconds. `null` without requests.'),
    deprecationStatus: DeprecationStatusEnum,
  })
  .meta({
    id: 'VersionUsage',
    examples: [
      {
        version: 'v1.0.0',
        requests: 18240,
        uniqueClients: 12,
        errorRate: 1.37,
        avgResponseTime: 11.4,
        deprecationStatus: 'active',
      },
    ],
  });

const DAY_SECONDS = 86_400;

const readVersionUsageRoute = route({
  method: 'get',
  path: '/versions/metrics',
  operationId: 'readVersionUsage',
  summary: 'Get the usage of API versions',
  description:
    'Returns the number of requests and clients of each version and day. Each process adds its requests about ' +
    'every ten seconds. Days are UTC, in real time, and kept for 400 days.',
  success: 'The usage of every released version',
  permission: { resource: 'version', action: 'READ' },
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(400).describe('Number of days, including today.').default(30),
  }),
  responses: { 200: Enveloped(z.object({ versions: z.array(VersionUsage) })) },
  errors: [],
  async handle({ query: { days } }, { db, releases, wallClock }) {
    const now = wallClock.now();
    const since = secondsAfter(startOfDay(now), -(days - 1) * DAY_SECONDS);
    const usage = await versionUsageSince(db, new Date(since));
    const versions = releases
      .filter(({ releasedAt }) => releasedAt <= now)
      .map((release) => {
        const deprecationStatus = statusAt(releases, release, now);
        return { version: release.version, ...presentUsage(usage.get(release.version)), deprecationStatus };
      });
    return ok(enveloped({ versions }, now));
  },
});

function presentUsage(usage: UsageTotal = { requests: 0, errors: 0, durationMs: 0, uniqueClients: 0 }) {
  const { requests, errors, durationMs, uniqueClients } = usage;
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return {
    requests,
    uniqueClients,
    errorRate: requests === 0 ? 0 : rounded((errors / requests) * 100),
    avgResponseTime: requests === 0 ? null : rounded(durationMs / requests),
  };
}

export const versionRoutes = [listVersionsRoute, readVersionUsageRoute];
