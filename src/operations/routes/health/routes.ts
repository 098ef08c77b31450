import { z } from 'zod';
import { ServiceError } from '../../../platform/errors/errors.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { OperatingDetails, readOperatingDetails, type Watched } from './operating-details.ts';

export const readLiveness = route({
  method: 'get',
  path: '/health/live',
  operationId: 'readLiveness',
  summary: 'Whether this process runs; other services are not checked',
  description: 'No API key is needed.',
  success: 'The process runs',
  permission: { unrestricted: 'Probes have no key; the response says nothing about vaults or callers' },
  responses: { 200: z.object({ status: z.literal('live') }) },
  errors: [],
  rateLimited: false,
  handle: () => Promise.resolve(ok({ status: 'live' })),
});

export const readReadiness = route({
  method: 'get',
  path: '/health/ready',
  operationId: 'readReadiness',
  summary: 'Whether this process can accept requests',
  description:
    'No API key is needed. If a check fails, `details.checks` of the error names it. The checks run at most once a second; an IP ' +
    "address may ask 200 times in 10 seconds. For a key with role ADMIN `details` has the operator's balance, for how many days it " +
    'suffices, what the anchors of today have cost, and how many have not landed; those of the error have the same, without what cannot be read, which ' +
    '`unreadable` names.',
  success: 'The process can accept requests',
  permission: { unrestricted: 'Probes have no key; the response says nothing about vaults or callers' },
  responses: {
    200: z.object({
      status: z.literal('ready'),
      checks: z.record(z.string(), z.literal('ok')),
      details: OperatingDetails.optional(),
    }),
  },
  errors: ['SERVICE_NOT_READY'],
  rateLimited: 'in_process',
  async handle({ caller }, context) {
    const results = Object.entries(await context.readiness());
    const watched = caller.roles.includes('ADMIN') ? await readOperatingDetails(context) : null;
    for (const [, failure] of results) if (failure) throw notReady(results, watched, failure.reason);
    if (watched?.kind === 'some') throw notReady(results, watched, watched.cause);
    const checks = Object.fromEntries(results.map(([name]) => [name, 'ok' as const]));
    return ok({ status: 'ready', checks, ...(watched && { details: watched.details }) });
  },
});

function notReady(results: [string, unknown][], watched: Watched | null, cause: unknown): ServiceError {
  const checks = Object.fromEntries(results.map(([name, failure]) => [name, failure ? 'failed' : 'ok']));
  const unreadable = watched?.kind === 'some' && { unreadable: watched.unreadable };
  return new ServiceError('SERVICE_NOT_READY', { checks, ...watched?.details, ...unreadable }, { cause });
}
