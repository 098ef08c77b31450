import { mapInBatches } from './async.ts';

type ErrorType =
  | 'VALIDATION_ERROR'
  | 'AUTHENTICATION_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'BLOCKCHAIN_ERROR'
  | 'BUSINESS_LOGIC_ERROR'
  | 'EXTERNAL_SERVICE_ERROR'
  | 'SYSTEM_ERROR';

interface RegisteredError {
  readonly type: ErrorType;
  /** HTTP status. */
  readonly status: number;
  /** Public description of the error. */
  readonly message: string;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
}

const validationError = (message: string, status = 400): RegisteredError => ({
  type: 'VALIDATION_ERROR',
  status,
  message,
  retryable: false,
});
const businessError = (message: string, retryable = false): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 400,
  message,
  retryable,
});
const notFound = (message: string): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 404,
  message,
  retryable: false,
});
const blockchainError = (message: string, retryable = false): RegisteredError => ({
  type: 'BLOCKCHAIN_ERROR',
  status: 400,
  message,
  retryable,
});
const externalServiceError = (message: string): RegisteredError => ({
  type: 'EXTERNAL_SERVICE_ERROR',
  status: 500,
  message,
  retryable: true,
});
const authenticationError = (message: string): RegisteredError => ({
  type: 'AUTHENTICATION_ERROR',
  status: 401,
  message,
  retryable: false,
});
const authorizationError = (message: string): RegisteredError => ({
  type: 'AUTHORIZATION_ERROR',
  status: 403,
  message,
  retryable: false,
});

/** Errors of who calls, and of what they may do. */
const accessErrors = {
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

/** Errors of claims from the pot of a vault that ends. */
const claimErrors = {
  CLAIMS_NOT_OPEN: businessError('Nothing can be claimed from the vault yet', true),
  CLAIMS_CLOSED: businessError('Nothing can be claimed from the vault any more'),
  CLAIM_TOO_SMALL: businessError('The share of these tokens is less than one lovelace'),
  CLAIM_EXCEEDS_SUPPLY: businessError('Fewer tokens than these circulate'),
  CLAIMS_AWAIT_SALE: businessError(
    'An execution is sent that is not final; claim again when what it brings is in the pot',
    true,
  ),
  POT_IN_USE: businessError('Other claims hold the outputs of the pot; claim again when they are in a block', true),
  CLAIM_OUTPUT_TAKEN: businessError('Another claim has taken the output of the pot; claim again'),
} as const satisfies Record<string, RegisteredError>;

/** Errors that only the operations under /dev have. A service without these operations does not document them. */
export const developmentErrors = {
  CLOCK_IS_MOVING: businessError('The clock is already being moved', true),
  CLOCK_CANNOT_MOVE: businessError('The clock cannot move while other work is in progress', true),
  LEDGER_SWITCH_REFUSED: blockchainError('The development ledger refused the request'),
};

/** Errors of stakes, proposals, votes and executions. */
const governanceErrors = {
  VAULT_NOT_LOCKED: businessError('The vault has not settled yet', true),
  ONLY_SALES_WHILE_ENDING: businessError(
    'While the claims on a vault run, its holders can only decide sales and the return of staked assets',
  ),
  CLAIMS_END_BEFORE_EXECUTION: businessError('The claims on the vault end before the proposal could be executed'),
  CREATION_THRESHOLD_NOT_MET: businessError('The final stakes of the proposer are below the creation threshold'),
  ASSET_NOT_IN_VAULT: businessError('The vault does not hold this asset'),
  ASSET_IN_ANOTHER_PROPOSAL: businessError('Another proposal about this asset has passed', true),
  ENDORSING_CLOSED: businessError('The proposal no longer collects endorsements'),
  ALREADY_ENDORSED: businessError('The wallet has already endorsed this proposal'),
  VOTING_NOT_OPEN: businessError('Voting has not opened yet', true),
  VOTE_NONCE_USED: businessError('The wallet has already signed a vote on this proposal with this nonce'),
  VOTE_ALREADY_REVOKED: businessError('The vote was already revoked or replaced'),
  VOTING_CLOSED: businessError('Voting has closed'),
  NOT_STAKED_AT_SNAPSHOT: businessError('The wallet has no stake that gives voting power in this proposal'),
  INSUFFICIENT_VOTING_POWER: businessError('The wallet does not have this much voting power'),
  PROPOSAL_NOT_CANCELLABLE: businessError('The proposal can only be cancelled as a draft or in its lock phase'),
  EXECUTION_NOT_OPEN: businessError('The execution phase has not opened yet', true),
  EXECUTION_CLOSED: businessError('The proposal can no longer be executed'),
  EXECUTION_UNDER_WAY: businessError('The execution is already in progress on the ledger'),
  EXECUTION_NOT_REPLACEABLE: businessError('What another wallet has frozen still collects signatures', true),
  FROZEN_FOR_ANOTHER_ACTION: businessError('The frozen transaction is for another action or other cosigners'),
  PARTNER_REFUSED: businessError(
    'Executions with this buyer or seller have failed, and the vote did not name this wallet; name another one',
  ),
  ASSET_NO_LONGER_HELD: businessError('The asset is no longer in the custody of the vault'),
  ASSET_NOT_STAKED: businessError('The asset is not at this staking address'),
  STAKING_ADDRESS_NOT_LISTED: businessError('The vault does not allow staking at this address'),
  CUSTODY_ROTATING: businessError('The assets of the vault move to another custody; execute when they are there', true),
  CUSTODY_IN_USE: businessError('Another execution uses the same assets or funds of the vault', true),
  WALLET_FUNDS_IN_USE: businessError(
    'Another transaction of the wallet uses the same funds; freeze the execution again',
  ),
  ACTION_DIFFERS_FROM_APPROVED: businessError('The action is not the one that the vote approved'),
  PRICE_BELOW_VALUATION: businessError(
    'The price is below the last valuation, and the vote did not approve it, or the vault ends',
  ),
  PRICE_ABOVE_VALUATION: businessError('The price is above the last valuation, and the vote did not approve it'),
  STAKE_NOT_FINAL: businessError('The stake is not final on the ledger yet', true),
  STAKE_LOCKED: businessError('The stake is used in a proposal that has not ended', true),
  STAKE_ALREADY_LEAVING: businessError('The stake is already being returned'),
  STAKE_ALREADY_RELEASED: businessError('The stake has already been returned'),
} as const satisfies Record<string, RegisteredError>;

/** Errors about what does not exist, or must look so to the caller. */
const notFoundErrors = {
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

/** Errors of the request itself: its form, its values and its signatures. */
const requestErrors = {
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

/** Errors of transactions, of external services and of the service itself. */
const systemErrors = {
  UNSOLICITED_OUTPUT_LEAVING: businessError('The output is being returned or has been returned'),
  UNSOLICITED_OUTPUT_GONE: businessError('The output is no longer unspent on the ledger'),
  UNSOLICITED_OUTPUT_HELD: businessError('A pending transaction already spends the output', true),
  UNSOLICITED_OUTPUT_OF_OWNER: businessError('What lies at the deposit address of an owner returns to that owner only'),
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: businessError('The platform cannot return this output without other signatures'),

  TRANSACTION_EXPIRED: blockchainError('The transaction has expired'),
  TRANSACTION_NOT_AWAITING_SIGNATURES: blockchainError('The transaction is not waiting for signatures'),
  TRANSACTION_NOT_WITHDRAWABLE: businessError(
    'Only an unsigned transaction of a wallet, or an unsigned return from custody, can be withdrawn',
  ),
  SECURITY_CONSTRAINTS_NOT_MET: blockchainError('Security constraints not met'),
  TRANSACTION_NOT_JUSTIFIED: blockchainError('The platform refuses to sign the transaction'),
  OPERATOR_BUDGET_SPENT: businessError(
    'The operator pays no more for transactions of this kind today; they go on at midnight (UTC)',
    true,
  ),

  TOO_MANY_FEATURE_FLAGS: businessError('The service has its maximum number of feature flags'),

  TOO_MANY_CONNECTIONS: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'The service has too many open connections of this caller, or of all',
    retryable: true,
  },
  TOO_MANY_SUBSCRIPTIONS: businessError('A connection has its maximum number of subscriptions'),
  CONSUMER_TOO_SLOW: businessError('The connection did not take its events in time', true),
  SERVICE_STOPPING: businessError('The process that served this connection stops; another one goes on', true),

  LEDGER_UNAVAILABLE: externalServiceError('The ledger cannot be reached'),
  LEDGER_HISTORY_CHANGED: externalServiceError('The ledger has another history than the recorded one'),
  PRICE_UNAVAILABLE: externalServiceError('There is no current price for this asset'),

  SERVICE_NOT_READY: { type: 'SYSTEM_ERROR', status: 503, message: 'The service is not ready', retryable: true },
  SYSTEM_ERROR: { type: 'SYSTEM_ERROR', status: 500, message: 'An internal error occurred', retryable: true },
  FREE_ACTIONS_USED_UP: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'The wallet has done as many free actions of this kind as it may within a day',
    retryable: true,
  },
  RATE_LIMIT_EXCEEDED: { type: 'BUSINESS_LOGIC_ERROR', status: 429, message: 'Too many requests', retryable: true },
} as const satisfies Record<string, RegisteredError>;

/** Errors of vaults, their windows and their deposits. */
const vaultErrors = {
  INVALID_TRANSITION: businessError('This state change is not possible'),
  OPERATION_PAUSED: businessError('The operator has paused this operation for now', true),
  VAULT_NOT_CANCELLABLE: businessError('The vault can no longer be cancelled'),
  VAULT_NOT_DELETABLE: businessError(
    'The vault cannot be deleted while it is in use, or while it holds or owes anything',
  ),
  VAULT_ALREADY_ENDED: businessError('The vault has ended or is ending'),
  ROTATION_UNDER_WAY: businessError('Another rotation of the vault is announced or runs'),
  ROTATION_NOT_CANCELLABLE: businessError('The rotation has begun or is over'),
  VAULT_WITHOUT_COSIGNERS: businessError('Only the cosigners of a vault can let others replace them, and it has none'),
  SETTING_NOT_CHANGEABLE: businessError('This setting of the vault can no longer be changed'),

  ASSET_WINDOW_NOT_OPEN: businessError('The asset window has not opened yet', true),
  ASSET_WINDOW_CLOSED: businessError('The asset window has closed'),
  INVESTMENT_WINDOW_NOT_OPEN: businessError('The investment window has not opened yet', true),
  INVESTMENT_WINDOW_CLOSED: businessError('The investment window has closed'),

  CONTRIBUTOR_NOT_WHITELISTED: businessError('This wallet may not contribute to the vault'),
  INVESTOR_NOT_WHITELISTED: businessError('This wallet may not invest in the vault'),
  ASSET_NOT_WHITELISTED: businessError('The vault does not accept assets of this policy'),
  ASSET_TYPE_NOT_ALLOWED: businessError('The vault does not accept assets of this type'),
  TYPE_IS_BUILT_IN: businessError('The types of the specification cannot be changed'),
  VALUATION_METHOD_NOT_ALLOWED: businessError('The vault does not value this asset by this method'),
  ASSET_IS_VAULT_TOKEN: businessError(
    'A vault cannot buy its own tokens, because their value depends on what the vault holds',
  ),
  ASSET_IS_REFERENCE_TOKEN: businessError(
    'A reference token (CIP-68, label 100) only describes another token. Use the token that it describes',
  ),
  MAX_ASSETS_REACHED: businessError('The vault already holds its maximum number of assets'),
  ASSETS_DO_NOT_FIT: businessError('The assets do not fit into one transaction'),
  ASSET_ALREADY_IN_VAULT: businessError('This asset is already in a vault'),
  ASSET_NOT_IN_WALLET: blockchainError(
    'The wallet does not hold this asset in this quantity; what it has staked counts once it is unstaked',
    true,
  ),
  ASSET_NOT_LOCKED: businessError('The asset is not locked in the vault yet', true),
  ASSET_ALREADY_LEAVING: businessError('The asset is already being returned'),
  ASSET_ALREADY_REMOVED: businessError('The asset is no longer in the vault'),
  INVESTMENT_NOT_CONFIRMED: businessError('The investment is not in a block yet', true),
  INVESTMENT_ALREADY_LEAVING: businessError('The investment is already being returned'),
  INVESTMENT_ALREADY_RETURNED: businessError('The investment is no longer in the vault'),
  INVESTMENT_TOO_SMALL: businessError('The investment is below the minimum of 5 ADA'),
  UTXO_NOT_ON_LEDGER: blockchainError('The ledger has no such unspent output with this value', true),
  INSUFFICIENT_FUNDS: blockchainError('The wallet does not hold enough ADA', true),
} as const satisfies Record<string, RegisteredError>;

/** All errors that a caller can get: every code is thrown, registered and documented (design D33). */
export const errorRegistry = {
  ...requestErrors,
  ...accessErrors,
  ...notFoundErrors,
  ...vaultErrors,
  ...governanceErrors,
  ...claimErrors,
  ...systemErrors,
  ...developmentErrors,
};

export type ErrorCode = keyof typeof errorRegistry;

/** A problem of one field of a request. */
export interface FieldProblem {
  readonly code: string;
  readonly message: string;
  readonly field: string;
}

/** An error with a registered code. Its details are public; its cause is only logged. */
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

/** The same error, about this field of a request. An error that names fields already stays as it is. */
export function atField(error: ServiceError, field: string): ServiceError {
  const { code, message, details } = error;
  if (details?.['errors'] !== undefined) return error;
  const problem: FieldProblem = { code, message, field };
  return new ServiceError(code, { ...details, errors: [problem] }, { cause: error });
}

/** An error about one field of a request: `details.errors` holds {code, message, field}. */
export function fieldError(code: ErrorCode, field: string, message: string): ServiceError {
  return new ServiceError(code, { errors: [{ code, message, field } satisfies FieldProblem] });
}

/** Throws an AggregateError of everything that failed, and `summary` or else the failures' own texts as its message. */
export function throwFailures(failures: readonly unknown[], summary = failures.map(String).join('; ')): void {
  if (failures.length > 0) throw new AggregateError(failures, summary);
}

/** Does something for all items, a few at once, and goes on past those that fail. Returns what failed. */
export async function settleAll<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<unknown>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  await mapInBatches(items, atOnce, async (item) => {
    try {
      await act(item);
    } catch (error) {
      failures.push(error);
    }
  });
  return failures;
}

/** Runs tasks, as many as `atOnce` together, all of them whatever fails. Throws an AggregateError of what failed at the end. */
export async function runAll(tasks: readonly (() => Promise<unknown>)[], atOnce: number): Promise<void> {
  throwFailures(await settleAll(tasks, atOnce, (run) => run()));
}
