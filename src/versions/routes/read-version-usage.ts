import { z } from 'zod';
import { secondsAfter, startOfDay } from '../../platform/units/instant.ts';
import { statusAt } from '../rules/version-policy.ts';
import { type UsageTotal, versionUsageSince } from '../queries/version-usage.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { VersionText } from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from './define-version-route.ts';
import { DeprecationStatusEnum } from './list-versions.ts';

const VersionUsage = z
  .object({
    version: VersionText,
    requests: z.int().describe('Number of requests to paths of this version'),
    uniqueClients: z.int().describe('Number of API keys that sent one'),
    errorRate: z.number().describe('Percentage of the requests that were refused, failed or aborted'),
    avgResponseTime: z.number().nullable().describe('Milliseconds; `null` without requests'),
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

export const readVersionUsageRoute = route({
  method: 'get',
  path: '/versions/metrics',
  operationId: 'readVersionUsage',
  summary: 'Read how much each version of the API is used, and by how many clients',
  description:
    'Each process adds its requests about every ten seconds. Days are UTC, in real time; a day is kept for 400 days.',
  success: 'The usage of every version that was released',
  permission: { resource: 'version', action: 'READ' },
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(400).describe('Number of days, the present one included').default(30),
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
