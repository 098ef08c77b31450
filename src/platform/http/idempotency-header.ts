import { fieldError } from '../errors/errors.ts';

/** What an idempotency key is, in the words of errors. */
export const KEY_TEXT = '1 to 255 visible ASCII characters';

export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** Reads the Idempotency-Key header; null when it is absent. Throws INVALID_REQUEST unless it is `KEY_TEXT`. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (isIdempotencyKey(header)) return header;
  throw fieldError('INVALID_REQUEST', 'Idempotency-Key', `An idempotency key is ${KEY_TEXT}`);
}
