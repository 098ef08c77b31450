export type ErrorType =
  | 'VALIDATION_ERROR'
  | 'AUTHENTICATION_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'BLOCKCHAIN_ERROR'
  | 'BUSINESS_LOGIC_ERROR'
  | 'EXTERNAL_SERVICE_ERROR'
  | 'SYSTEM_ERROR';

interface RegisteredError {
  readonly type: ErrorType;
  readonly status: number;
  /** The sentence a caller may read. */
  readonly message: string;
  /** Whether the same request can succeed later without being changed. */
  readonly retryable: boolean;
}

const validation = (message: string, status = 400): RegisteredError => ({
  type: 'VALIDATION_ERROR',
  status,
  message,
  retryable: false,
});
const refusal = (message: string, retryable = false): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 400,
  message,
  retryable,
});
const absent = (message: string): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 404,
  message,
  retryable: false,
});
const ledgerRefusal = (message: string, retryable = false): RegisteredError => ({
  type: 'BLOCKCHAIN_ERROR',
  status: 400,
  message,
  retryable,
});
const outage = (message: string): RegisteredError => ({
  type: 'EXTERNAL_SERVICE_ERROR',
  status: 500,
  message,
  retryable: true,
});
const authentication = (message: string): RegisteredError => ({
  type: 'AUTHENTICATION_ERROR',
  status: 401,
  message,
  retryable: false,
});
const authorization = (message: string): RegisteredError => ({
  type: 'AUTHORIZATION_ERROR',
  status: 403,
  message,
  retryable: false,
});

/** Every failure a caller can meet: raised = registered = documented (design D33). */
export const errorRegistry = {
  INVALID_REQUEST: validation('The request is not valid'),
  INVALID_VAULT_PARAMS: validation('Invalid vault parameters'),
  MALFORMED_JSON: validation('The body is not valid JSON'),
  BODY_TOO_LARGE: validation('The body is too large', 413),
  UNSUPPORTED_MEDIA_TYPE: validation('The body must be application/json', 415),
  IDEMPOTENCY_KEY_REUSED: validation('This idempotency key was already used with another request', 422),
  INVALID_ADDRESS: validation('This is not a Cardano address with a payment key'),
  WRONG_NETWORK: validation('The address belongs to another network'),
  INVALID_CBOR: validation('This is not the CBOR that is expected here'),
  INVALID_ASSET_NAME: validation('An asset name is at most 32 bytes: text, or hex after 0x'),
  INVALID_QUANTITY: validation('The quantity is not one this asset can have'),
  INVALID_SIGNATURE: validation('Invalid signature'),
  WITNESS_FOR_ANOTHER_TRANSACTION: validation('The witness signs another transaction'),
  WITNESS_NOT_REQUIRED: validation('The transaction does not ask for the signature of this key'),
  THRESHOLD_BELOW_VAULT: validation('A proposal can be stricter than its vault, not laxer'),

  API_KEY_REQUIRED: authentication('API key required'),
  INVALID_API_KEY: authentication('Invalid API key'),
  INVALID_SESSION: authentication('The session is unknown or has ended'),
  SESSION_REQUIRED: authentication('This needs a wallet session'),
  INVALID_NONCE: authentication('The nonce is unknown, used, expired or made for another address'),
  SIGNATURE_EXPIRED: authentication('Signature expired'),
  SIGNATURE_NOT_YET_VALID: authentication('The signature is dated in the future'),
  INVALID_LOGIN_SIGNATURE: authentication('Invalid signature'),
  INSUFFICIENT_PERMISSIONS: authorization('Insufficient permissions'),
  INSUFFICIENT_SIGNATURES: authorization('Insufficient signatures'),
  EXECUTOR_NOT_ELIGIBLE: authorization(
    'Only its proposer, the admin of the vault, who may cosign and who buys or sells may execute a proposal',
  ),
  COSIGNER_NOT_ELIGIBLE: authorization('This wallet may not cosign for the vault'),

  ROUTE_NOT_FOUND: absent('There is nothing at this path'),
  VERSION_NOT_SUPPORTED: absent('This version of the API is not supported'),
  VAULT_NOT_FOUND: absent('Vault not found'),
  ASSET_NOT_FOUND: absent('Asset not found'),
  TRANSACTION_NOT_FOUND: absent('Transaction not found'),
  ANCHOR_NOT_FOUND: absent('There is no anchored fact with this id'),
  WALLET_NOT_FOUND: absent('There is no simulated wallet with this address'),
  SESSION_NOT_FOUND: absent('Session not found'),
  PROPOSAL_NOT_FOUND: absent('Proposal not found'),
  VOTE_NOT_FOUND: absent('Vote not found'),
  STAKE_NOT_FOUND: absent('Stake not found'),
  UNSOLICITED_OUTPUT_NOT_FOUND: absent('The vault has no unsolicited output with this reference'),

  INVALID_TRANSITION: refusal('This change of state is not possible'),
  VAULT_NOT_CANCELLABLE: refusal('The vault can no longer be cancelled'),
  VAULT_ALREADY_ENDED: refusal('The vault has ended or is ending'),

  ASSET_WINDOW_NOT_OPEN: refusal('The asset window has not opened yet', true),
  ASSET_WINDOW_CLOSED: refusal('The asset window has closed'),
  INVESTMENT_WINDOW_NOT_OPEN: refusal('The investment window has not opened yet', true),
  INVESTMENT_WINDOW_CLOSED: refusal('The investment window has closed'),

  CONTRIBUTOR_NOT_WHITELISTED: refusal('This wallet may not contribute to the vault'),
  INVESTOR_NOT_WHITELISTED: refusal('This wallet may not invest in the vault'),
  ASSET_NOT_WHITELISTED: refusal('The vault does not take assets of this policy'),
  ASSET_TYPE_NOT_ALLOWED: refusal('The vault does not take assets of this type'),
  ASSET_IS_VAULT_TOKEN: refusal('A vault does not buy its own tokens: they would count among what they are worth'),
  MAX_ASSETS_REACHED: refusal('The vault already holds as many assets as it takes'),
  ASSET_ALREADY_IN_VAULT: refusal('This asset is already in a vault'),
  ASSET_NOT_IN_WALLET: ledgerRefusal('The wallet does not hold this asset in this quantity', true),
  ASSET_NOT_LOCKED: refusal('The asset is not locked in the vault yet', true),
  ASSET_ALREADY_LEAVING: refusal('The asset is already being returned'),
  ASSET_ALREADY_REMOVED: refusal('The asset is no longer in the vault'),
  INVESTMENT_TOO_SMALL: refusal('The investment is below the minimum of 5 ADA'),
  INSUFFICIENT_FUNDS: ledgerRefusal('The wallet does not hold enough ADA', true),

  VAULT_NOT_LOCKED: refusal('The vault has not settled yet', true),
  CREATION_THRESHOLD_NOT_MET: refusal('The final stakes of the proposer are not enough to propose'),
  ASSET_NOT_IN_VAULT: refusal('The vault does not hold this asset'),
  ASSET_IN_ANOTHER_PROPOSAL: refusal('Another proposal over this asset has passed', true),
  ENDORSING_CLOSED: refusal('The proposal no longer collects endorsements'),
  ALREADY_ENDORSED: refusal('The wallet stands behind this proposal already'),
  VOTING_NOT_OPEN: refusal('Voting has not opened yet', true),
  VOTE_NONCE_USED: refusal('The wallet has already signed a vote on this proposal with this nonce'),
  VOTE_ALREADY_REVOKED: refusal('The vote was revoked or replaced already'),
  VOTING_CLOSED: refusal('Voting has closed'),
  NOT_STAKED_AT_SNAPSHOT: refusal('The wallet has no stake that counts in this proposal'),
  INSUFFICIENT_VOTING_POWER: refusal('The wallet does not have this much voting power'),
  PROPOSAL_NOT_CANCELLABLE: refusal('The proposal can only be cancelled as a draft or in its lock phase'),
  EXECUTION_NOT_OPEN: refusal('The execution phase has not opened yet', true),
  EXECUTION_CLOSED: refusal('The proposal can no longer be executed'),
  EXECUTION_UNDER_WAY: refusal('The execution is already on its way to the ledger'),
  FROZEN_FOR_ANOTHER_ACTION: refusal('The frozen transaction is for another action or other cosigners'),
  ASSET_NO_LONGER_HELD: refusal('The asset is no longer in the custody of the vault'),
  ASSET_NOT_STAKED: refusal('The asset is not at this staking address'),
  STAKING_ADDRESS_NOT_LISTED: refusal('The vault does not stake at this address'),
  CUSTODY_IN_USE: refusal('What it takes of the custody of the vault is held by another execution', true),
  WALLET_FUNDS_IN_USE: refusal(
    'What the wallet gives is held by another of its transactions: freeze the execution anew',
  ),
  ACTION_DIFFERS_FROM_APPROVED: refusal('The action is not the one that was voted on'),
  PRICE_BELOW_VALUATION: refusal('The price is below the last valuation, and the vote approved no other'),
  PRICE_ABOVE_VALUATION: refusal('The price is above the last valuation, and the vote approved no other'),
  STAKE_NOT_FINAL: refusal('The stake is not final on the ledger yet', true),
  STAKE_LOCKED: refusal('The stake is used in a proposal that is not finished', true),
  STAKE_ALREADY_LEAVING: refusal('The stake is already being returned'),
  STAKE_ALREADY_RELEASED: refusal('The stake is back with its owner'),

  UNSOLICITED_OUTPUT_LEAVING: refusal('The output is being returned, or was returned, already'),
  UNSOLICITED_OUTPUT_GONE: refusal('The output is no longer unspent on the ledger'),
  UNSOLICITED_OUTPUT_HELD: refusal('Another transaction under way spends the output', true),
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: refusal('The platform cannot return this output without signatures of others'),

  TRANSACTION_EXPIRED: ledgerRefusal('The transaction has expired'),
  TRANSACTION_NOT_AWAITING_SIGNATURES: ledgerRefusal('The transaction is not waiting for signatures'),
  TRANSACTION_NOT_WITHDRAWABLE: refusal('Only what its wallet alone was asked to sign, and has not, can be withdrawn'),
  SECURITY_CONSTRAINTS_NOT_MET: ledgerRefusal('Security constraints not met'),

  CLOCK_IS_MOVING: refusal('The clock is being moved already', true),
  CLOCK_CANNOT_MOVE: refusal('The clock waits for something that is still under way', true),
  LEDGER_SWITCH_REFUSED: ledgerRefusal('The development ledger refuses this'),

  LEDGER_UNAVAILABLE: outage('The ledger cannot be reached'),
  PRICE_UNAVAILABLE: outage('There is no current price for this asset'),

  SERVICE_NOT_READY: { type: 'SYSTEM_ERROR', status: 503, message: 'The service is not ready', retryable: true },
  SYSTEM_ERROR: { type: 'SYSTEM_ERROR', status: 500, message: 'Something went wrong on our side', retryable: true },
  RATE_LIMIT_EXCEEDED: { type: 'BUSINESS_LOGIC_ERROR', status: 429, message: 'Too many requests', retryable: true },
} as const satisfies Record<string, RegisteredError>;

export type ErrorCode = keyof typeof errorRegistry;

/** One thing wrong with one field of a request. */
export interface FieldProblem {
  readonly code: string;
  readonly message: string;
  readonly field: string;
}

/** A failure with a registered code. Its details are public; its cause goes to the log only. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(errorRegistry[code].message, options);
    this.code = code;
    this.details = details;
  }
}

/** A refusal of one field of a request: `details.errors` holds {code, message, field}. */
export function fieldError(code: ErrorCode, field: string, message: string): ServiceError {
  return new ServiceError(code, { errors: [{ code, message, field } satisfies FieldProblem] });
}
