import type { z } from 'zod';
import { errorRegistry } from '../error-registry.ts';
import type { ServiceError } from '../errors.ts';
import { isoText, type Clock } from '../units/time.ts';
import type { Logger } from '../observability/logger.ts';
import { errorBody, type Problem } from './error-schemas.ts';
import { type specifiedRequests, statusOf } from './error-status.ts';
import type { ErrorHandler } from './request-locals.ts';
import { serviceErrorOf } from './service-error.ts';

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
