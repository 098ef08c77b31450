import { authenticationError, authorizationError, businessError, type RegisteredError } from './error-kinds.ts';

/** Errors of who calls, and of what they may do. */
export const accessErrors = {
  API_KEY_REQUIRED: authenticationError('API key required'),
  INVALID_API_KEY: authenticationError('Invalid API key'),
  INVALID_SESSION: authenticationError('The session is unknown or has ended'),
  SESSION_REQUIRED: authenticationError('A wallet session is required'),
  INVALID_NONCE: authenticationError('The nonce is unknown, used, expired or issued for another address'),
  SIGNATURE_EXPIRED: authenticationError('Signature expired'),
  SIGNATURE_NOT_YET_VALID: authenticationError('The signature is dated in the future'),
  INVALID_LOGIN_SIGNATURE: authenticationError('Invalid signature'),
  INSUFFICIENT_PERMISSIONS: authorizationError('Insufficient permissions'),
  API_KEY_ENDED: businessError('The API key has expired or was revoked'),
  API_KEY_ALREADY_ROTATED: businessError('The API key was rotated before'),
  INSUFFICIENT_SIGNATURES: authorizationError('Insufficient signatures'),
  EXECUTOR_NOT_ELIGIBLE: authorizationError(
    'Only the proposer, the admin of the vault, a cosigner, the buyer or the seller may execute a proposal',
  ),
  COSIGNER_NOT_ELIGIBLE: authorizationError('This wallet may not cosign for the vault'),
} as const satisfies Record<string, RegisteredError>;
