import { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { ok } from '../../server/route-response.ts';
import { route } from '../../server/context.ts';

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
    'address may ask 200 times in 10 seconds.',
  success: 'The process can accept requests',
  permission: { unrestricted: 'Probes have no key; the response says nothing about vaults or callers' },
  responses: { 200: z.object({ status: z.literal('ready'), checks: z.record(z.string(), z.literal('ok')) }) },
  errors: ['SERVICE_NOT_READY'],
  rateLimited: 'in_process',
  async handle(_request, { readiness }) {
    const results = Object.entries(await readiness());
    const failed = results.find(([, failure]) => failure !== null);
    if (failed) {
      const checks = Object.fromEntries(results.map(([name, failure]) => [name, failure ? 'failed' : 'ok']));
      throw new ServiceError('SERVICE_NOT_READY', { checks }, { cause: failed[1]?.reason });
    }
    return ok({ status: 'ready', checks: Object.fromEntries(results.map(([name]) => [name, 'ok' as const])) });
  },
});
