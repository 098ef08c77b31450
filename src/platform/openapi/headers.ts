import { z } from 'zod';
import { type ErrorCode, errorRegistry } from '../errors/errors.ts';
import { acceptsIdempotencyKey, type Route } from '../http/route.ts';

const requestHeaders = {
  'X-Correlation-Id': z
    .string()
    .describe(
      'Your ID for this request, returned in the response and written to the logs. 1 to 64 letters, digits, dots, hyphens or ' +
        'underscores. If it is missing or invalid, the service generates one.',
    )
    .optional(),
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .describe(
      'Makes the request safe to retry. Within 24 hours, a repeated request with the same key returns the first successful ' +
        'response and changes nothing.',
    )
    .optional(),
  'If-None-Match': z
    .string()
    .describe('`ETag` of an earlier response. Returns 304 if nothing has changed since.')
    .optional(),
  'If-Match': z
    .string()
    .describe(
      '`ETag` of a GET request of the resource, sent without a query. If the resource has changed since, the request fails and changes nothing.',
    )
    .optional(),
  'Last-Event-ID': z
    .string()
    .describe('For a stream: the `id` of the last message that you have. It takes precedence over `after`.')
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
    ...(route.streamed && { 'Last-Event-ID': optional['Last-Event-ID'] }),
  });
}

const text = z.string();
/** A header that many responses have: one component of the document. */
const shared = <Schema extends z.ZodType>(schema: Schema, id: string, description: string) =>
  schema.meta({ description, header: { id } });

const responseHeaders = {
  'X-Correlation-Id': shared(text, 'CorrelationId', "The request's id in the logs"),
  RateLimit: shared(
    text.optional(),
    'RateLimit',
    'Remaining requests (`r`), and seconds until the window ends (`t`); absent while requests cannot be counted',
  ),
  'RateLimit-Policy': shared(
    text.optional(),
    'RateLimitPolicy',
    'Largest number of requests (`q`) in a window of `w` seconds; absent while requests cannot be counted',
  ),
  ETag: shared(text, 'EntityTag', 'Equal while the resource is unchanged'),
  'Idempotency-Replayed': shared(
    text.optional(),
    'IdempotencyReplayed',
    '`true`: the response of an earlier request with the same `Idempotency-Key`',
  ),
  'Retry-After': shared(text.optional(), 'RetryAfter', 'Seconds to wait before the same request may succeed'),
};

/** The headers of a successful response. */
export function responseHeadersOf(route: Route<never>): z.ZodObject {
  const { ETag, 'Idempotency-Replayed': replayed } = responseHeaders;
  return z.object({
    ...usualHeadersOf(route),
    ...(route.method === 'get' && { ETag }),
    ...(acceptsIdempotencyKey(route) && { 'Idempotency-Replayed': replayed }),
  });
}

/** The headers of an error with one of these codes. */
export function errorHeadersOf(route: Route<never>, codes: readonly ErrorCode[]): z.ZodObject {
  const mayRetry = codes.some((code) => [429, 503].includes(errorRegistry[code].status));
  return z.object({
    ...usualHeadersOf(route),
    ...(mayRetry && { 'Retry-After': responseHeaders['Retry-After'] }),
  });
}

function usualHeadersOf({ rateLimited }: Route<never>) {
  const { 'X-Correlation-Id': correlationId, RateLimit, 'RateLimit-Policy': policy } = responseHeaders;
  return { 'X-Correlation-Id': correlationId, ...(rateLimited !== false && { RateLimit, 'RateLimit-Policy': policy }) };
}
