import { z } from 'zod';
import { acceptsIdempotencyKey, type Route } from '../server/route.ts';

const requestHeaders = {
  'X-Correlation-Id': z
    .string()
    .describe(
      'Identifies the request in responses and logs: 1 to 64 letters, digits, dots, hyphens and underscores. Another text, or a ' +
        'longer one, is replaced by a new id',
    )
    .optional(),
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .describe('A repeated request with this key gets the response of the first success and changes nothing')
    .optional(),
  'If-None-Match': z
    .string()
    .describe('`ETag` of an earlier read: returns 304 if nothing has changed since')
    .optional(),
  'If-Match': z
    .string()
    .describe(
      '`ETag` of a read of the resource without query: the request changes nothing if the resource has changed since',
    )
    .optional(),
};

/** The headers that a request may carry. */
export function headersOf(route: Route<never>): z.ZodObject {
  const { 'X-Correlation-Id': correlationId, ...optional } = requestHeaders;
  return z.object({
    'X-Correlation-Id': correlationId,
    ...(acceptsIdempotencyKey(route) && { 'Idempotency-Key': optional['Idempotency-Key'] }),
    ...(route.method === 'get' && { 'If-None-Match': optional['If-None-Match'] }),
    ...(route.conditional === true && { 'If-Match': optional['If-Match'] }),
  });
}

/** The headers of a successful response. */
export function responseHeadersOf({ method, rateLimited }: Route<never>): z.ZodObject {
  return z.object({
    'X-Correlation-Id': z.string().describe("The request's id in the logs"),
    ...(rateLimited !== false && {
      RateLimit: z.string().describe('Remaining requests (`r`), and seconds until the window ends (`t`)'),
      'RateLimit-Policy': z.string().describe('Largest number of requests (`q`) in a window of `w` seconds'),
    }),
    ...(method === 'get' && { ETag: z.string().describe('Equal while the resource is unchanged') }),
  });
}
