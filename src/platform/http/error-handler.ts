import type { z } from 'zod';
import { type ErrorCode, errorRegistry } from '../error-registry.ts';
import { ServiceError, fieldError } from '../errors.ts';
import { type Clock, isoText } from '../units/time.ts';
import type { Logger } from '../observability/logger.ts';
import { type Problem, errorBody } from './error-schemas.ts';
import type { ErrorHandler } from './request-locals.ts';
import type { Route } from './route.ts';
import { isDatabaseBusy } from '../database/database.ts';

interface ErrorHandlerContext {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly isSpecified: ReturnType<typeof specifiedRequests>;
}

/** Turns every error into a response: the spec's body, or problem details (RFC 9457) when the caller accepts only those. */
export function errorHandler({ logger, clock, isSpecified }: ErrorHandlerContext): ErrorHandler {
  return (thrown: unknown, request, response, next) => {
    const { correlationId } = response.locals;
    const error = serviceErrorOf(thrown);
    const { type } = errorRegistry[error.code];
    const status = statusOf(error.code, isSpecified(request));
    const entry = { type, code: error.code, correlationId, method: request.method, path: request.path };
    if (status >= 500) logger.error({ ...entry, error: thrown }, error.message);
    else logger.info({ ...entry, details: loggedDetails(error), ...foreignText(error) }, error.message);
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const asProblem = request.accepts(['application/json', 'application/problem+json']) === 'application/problem+json';
    const at = clock.now();
    const body = asProblem
      ? problem(error, { status, correlationId, timestamp: isoText(at) })
      : errorBody(error, correlationId, at);
    const retryAfter = error.details?.['retryAfterSeconds'];
    if (typeof retryAfter === 'number') response.set('Retry-After', String(retryAfter));
    response.status(status).vary('Accept');
    response.type(asProblem ? 'application/problem+json' : 'application/json').send(JSON.stringify(body));
  };
}

/** What the ledger's rules said in their own words, which a caller does not see. */
function foreignText({ code, cause }: ServiceError): { readonly error?: unknown } {
  return code === 'SECURITY_CONSTRAINTS_NOT_MET' && cause !== undefined ? { error: cause } : {};
}

/** Field names may be the caller's own words, which are not logged: only codes and how many there are. */
function loggedDetails({ details }: ServiceError): unknown {
  const errors = details?.errors;
  if (!errors) return details;
  const codes = new Set(errors.map(({ code }) => code));
  return { problems: errors.length, codes: [...codes] };
}

type Occurrence = Pick<z.input<typeof Problem>, 'status' | 'correlationId' | 'timestamp'>;

function problem({ code, message, details }: ServiceError, occurrence: Occurrence): z.input<typeof Problem> {
  return { type: `urn:vts:error:${code}`, title: message, code, ...(details && { details }), ...occurrence };
}

/** The HTTP status of an error. Operations of the spec return 500 instead of 503, which the spec does not have (design D33). */
export function statusOf(code: ErrorCode, isSpecified: boolean): number {
  const { status } = errorRegistry[code];
  return isSpecified && status === 503 ? 500 : status;
}

/** Tells requests for operations of the spec, also those that are refused before their operation is found. */
export function specifiedRequests(
  routes: readonly Route<never>[],
): (request: { readonly method: string; readonly path: string }) => boolean {
  const patterns = routes
    .filter(({ specified }) => specified)
    .map(({ method, path }) => new RegExp(`^${method} /api/v1${path.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i'));
  return ({ method, path }) => {
    const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`;
    return patterns.some((pattern) => pattern.test(asked));
  };
}

/** Codes for the errors of express and its body parser, by their type. */
const parserCodes: Readonly<Record<string, ErrorCode>> = {
  'entity.parse.failed': 'MALFORMED_JSON',
  'entity.too.large': 'BODY_TOO_LARGE',
  'encoding.unsupported': 'UNSUPPORTED_MEDIA_TYPE',
  'charset.unsupported': 'UNSUPPORTED_MEDIA_TYPE',
};

/** The error that a caller gets for anything that was thrown. */
export function serviceErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const { type, status } = Object(thrown) as { type?: unknown; status?: unknown };
  if (isDatabaseBusy(thrown))
    return new ServiceError('SERVICE_NOT_READY', { waitingFor: 'database', retryAfterSeconds: 5 }, { cause: thrown });
  const code = typeof type === 'string' ? parserCodes[type] : undefined;
  if (code) return new ServiceError(code, undefined, { cause: thrown });
  const isCallersFault = typeof status === 'number' && status >= 400 && status < 500;
  if (!isCallersFault) return new ServiceError('SYSTEM_ERROR', undefined, { cause: thrown });
  // Only the router decodes percent signs.
  if (thrown instanceof URIError)
    return fieldError('INVALID_REQUEST', 'path', 'The path must be percent-encoded UTF-8.');
  return fieldError('INVALID_REQUEST', 'body', 'The body is not readable.');
}
