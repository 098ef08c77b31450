import { validationError, type RegisteredError } from './error-kinds.ts';

/** Errors of the request itself: its form, its values and its signatures. */
export const requestErrors = {
  INVALID_REQUEST: validationError('The request is not valid'),
  INVALID_VAULT_PARAMS: validationError('Invalid vault parameters'),
  MALFORMED_JSON: validationError('The body is not valid JSON'),
  BODY_TOO_LARGE: validationError('The body is too large', 413),
  UNSUPPORTED_MEDIA_TYPE: validationError('The body must be application/json', 415),
  IDEMPOTENCY_KEY_REUSED: validationError('This idempotency key was already used with another request', 422),
  METHOD_NOT_ALLOWED: validationError('There is no operation with this method at this path', 405),
  PRECONDITION_FAILED: validationError('The resource has changed since it was read', 412),
  INVALID_ADDRESS: validationError('The address is not a Cardano address with a payment key'),
  WRONG_NETWORK: validationError('The address belongs to another network'),
  INVALID_CBOR: validationError('The value is not the expected CBOR'),
  INVALID_ASSET_NAME: validationError('An asset name has at most 32 bytes, written as text or as hex after 0x'),
  INVALID_QUANTITY: validationError('The asset cannot have this quantity'),
  INVALID_SIGNATURE: validationError('Invalid signature'),
  WITNESS_FOR_ANOTHER_TRANSACTION: validationError('The witness signs another transaction'),
  WITNESS_NOT_REQUIRED: validationError('The transaction does not require a signature of this key'),
  THRESHOLD_BELOW_VAULT: validationError(
    'A proposal cannot have lower thresholds or shorter phases than its vault sets',
  ),
} as const satisfies Record<string, RegisteredError>;
