import { notFound, type RegisteredError } from './error-kinds.ts';

/** Errors about what does not exist, or must look so to the caller. */
export const notFoundErrors = {
  ROUTE_NOT_FOUND: notFound('There is no operation at this path: paths begin with /api/v1, and /docs lists them'),
  VERSION_NOT_SUPPORTED: notFound('This version of the API is not supported'),
  VERSION_ENDED: { ...notFound('Version no longer supported'), status: 410 },
  VAULT_NOT_FOUND: notFound('Vault not found'),
  ASSET_NOT_FOUND: notFound('Asset not found'),
  INVESTMENT_NOT_FOUND: notFound('Investment not found'),
  TRANSACTION_NOT_FOUND: notFound('Transaction not found'),
  ANCHOR_NOT_FOUND: notFound('There is no anchored record with this id'),
  WALLET_NOT_FOUND: notFound('There is no simulated wallet with this address'),
  TYPE_NOT_FOUND: notFound('There is no registered type with this name'),
  FEATURE_FLAG_NOT_FOUND: notFound('There is no feature flag with this name'),
  API_KEY_NOT_FOUND: notFound('API key not found'),
  SESSION_NOT_FOUND: notFound('Session not found'),
  PROPOSAL_NOT_FOUND: notFound('Proposal not found'),
  VOTE_NOT_FOUND: notFound('Vote not found'),
  RECONCILIATION_NOT_FOUND: notFound('There is no reconciliation with this id'),
  STAKE_NOT_FOUND: notFound('Stake not found'),
  CLAIM_NOT_FOUND: notFound('Claim not found'),
  ROTATION_NOT_FOUND: notFound('Rotation not found'),
  UNSOLICITED_OUTPUT_NOT_FOUND: notFound('The vault has no unsolicited output with this reference'),
} as const satisfies Record<string, RegisteredError>;
