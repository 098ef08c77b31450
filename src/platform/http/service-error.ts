import type { ErrorCode } from '../error-registry.ts';
import { fieldError, ServiceError } from '../errors.ts';
import { isDatabaseBusy } from '../database/database.ts';

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
