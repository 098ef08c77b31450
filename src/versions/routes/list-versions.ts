import { z } from 'zod';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import type { Release } from '../rules/releases.ts';
import { deprecationPolicy, statusAt, sunsetOf } from '../rules/version-policy.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { enumSchema } from '../../platform/http/enums.ts';
import { Timestamp, VersionText } from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from './define-version-route.ts';

const VersionStatusEnum = enumSchema('VersionStatus', ['alpha', 'beta', 'stable', 'deprecated'], {
  alpha: 'not complete; may change in any way',
  beta: 'complete; may still change',
  stable: 'changes only in ways that break no client',
  deprecated: 'ends at `sunsetAt`',
});

export const DeprecationStatusEnum = enumSchema('DeprecationStatus', ['active', 'deprecated', 'sunset'], {
  active: 'no end is in force',
  deprecated: 'supported until its sunset',
  sunset: 'no longer supported; requests return 410',
});

const Version = z
  .object({
    version: VersionText,
    status: VersionStatusEnum,
    deprecationStatus: DeprecationStatusEnum,
    releasedAt: Timestamp.describe('When the major version was released'),
    deprecatedAt: Timestamp.nullable().describe(
      'When it is deprecated, also if that lies ahead; `null` if that is not planned',
    ),
    sunsetAt: Timestamp.nullable().describe('End of its support; `null` if it is not planned'),
    migrationGuide: z.string().describe('Address of the guide for moving to this version from the one before'),
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
  noticeDays: z.int().describe('Days between the deprecation of a version and its end, at least'),
  supportDays: z.int().describe('Days for which a version is supported after the release of its successor'),
  maxSupported: z.int().describe('Largest number of major versions that are supported at once'),
});

export const listVersionsRoute = route({
  method: 'get',
  path: '/versions',
  operationId: 'listVersions',
  summary: 'List the versions of this API, and how long each is supported',
  description: 'The newest minor version of each major version that was released. Times are real time.',
  success: 'The versions, the oldest first, and the policy',
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
