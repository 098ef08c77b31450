import { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { ok } from '../server/route-response.ts';
import { type ReadinessCheck, route } from '../server/context.ts';

/** A check that takes longer counts as failed. */
const checkDeadlineMs = 2_000;

export const readLiveness = route({
  method: 'get',
  path: '/health/live',
  operationId: 'readLiveness',
  summary: 'Whether this process runs; other services are not checked',
  description: 'No API key is needed.',
  success: 'The process runs',
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
  description: 'No API key is needed. If a check fails, `details.checks` of the error names it.',
  success: 'The process can accept requests',
  responses: { 200: z.object({ status: z.literal('ready'), checks: z.record(z.string(), z.literal('ok')) }) },
  errors: ['SERVICE_NOT_READY'],
  rateLimited: false,
  async handle(_request, { readiness }) {
    const names = Object.keys(readiness);
    const results = await Promise.allSettled(Object.values(readiness).map(withinDeadline));
    const failures = results.filter((result) => result.status === 'rejected');
    if (failures.length > 0) {
      const outcomes = names.map((name, index) => [name, results[index]?.status === 'fulfilled' ? 'ok' : 'failed']);
      throw new ServiceError(
        'SERVICE_NOT_READY',
        { checks: Object.fromEntries(outcomes) as object },
        { cause: failures[0]?.reason },
      );
    }
    return ok({ status: 'ready', checks: Object.fromEntries(names.map((name) => [name, 'ok' as const])) });
  },
});

async function withinDeadline(check: ReadinessCheck): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const deadline = setTimeout(() => {
    reject(new Error(`no response within ${checkDeadlineMs} ms`));
  }, checkDeadlineMs);
  try {
    await Promise.race([check(), tooLate]);
  } finally {
    clearTimeout(deadline);
  }
}
