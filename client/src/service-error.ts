import { retryableCodes } from './retryable-codes.ts';
import type { components } from './schema.ts';

type ErrorBody = components['schemas']['Error'];

/** A code of the service, or UNEXPECTED_RESPONSE for a response that is not the service's, as of a proxy. */
export type ErrorCode = components['schemas']['ErrorCode'] | 'UNEXPECTED_RESPONSE';

/** What the service says about an error. */
interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorBody['error']['details'];
  readonly correlationId: string | null;
}

/** A refusal of the service. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** HTTP status; null when the service ended a stream that had begun. */
  readonly status: number | null;
  /** What the service says about the code, such as the invalid fields under `errors`. */
  readonly details: NonNullable<ErrorFields['details']>;
  /** Names the request in the logs of the service; null if the response is not the service's. */
  readonly correlationId: string | null;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;

  constructor({ code, message, details, correlationId }: ErrorFields, status: number | null) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details ?? {};
    this.correlationId = correlationId;
    this.isRetryable = retryableCodes.has(code) || status === 429 || (status !== null && status >= 500);
  }
}

/** The error that a body of the service describes; UNEXPECTED_RESPONSE for any other value. */
export function serviceErrorOf(body: unknown, status: number | null): ServiceError {
  if (isErrorBody(body)) return new ServiceError(body.error, status);
  const message = `The response ${status === null ? '' : `with status ${status} `}is not the service's`;
  return new ServiceError({ code: 'UNEXPECTED_RESPONSE', message, correlationId: null }, status);
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
