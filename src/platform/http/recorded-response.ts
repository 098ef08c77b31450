import { atField, ServiceError } from '../errors/errors.ts';
import type { CompletedRequest } from './queries/idempotency.ts';

/** The response that a repeated request gets again: HTTP status, body and headers. */
export interface RecordedResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The recorded response of an earlier request; IDEMPOTENCY_KEY_REUSED when that was another request. */
export function replay(earlier: CompletedRequest, fingerprint: Buffer): RecordedResponse | ServiceError {
  if (!earlier.fingerprint.equals(fingerprint))
    return atField(new ServiceError('IDEMPOTENCY_KEY_REUSED'), 'Idempotency-Key');
  const body: unknown = earlier.body === null ? undefined : JSON.parse(earlier.body);
  return { status: earlier.status, body, headers: { 'Idempotency-Replayed': 'true' } };
}

/** The body as it is stored; null when there is none. */
export function bodyText(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}
