import { fieldError } from '../domain/errors.ts';

/** Reads the Idempotency-Key header: 1 to 255 visible ASCII characters; null when it is absent. Throws INVALID_REQUEST. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw fieldError('INVALID_REQUEST', 'Idempotency-Key', 'An idempotency key is 1 to 255 visible ASCII characters');
}
