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
  INVALID_SESSION: authenticationError('The session is unknown or has ended. Log in again.'),
  SESSION_REQUIRED: authenticationError(
    'This request needs a wallet session. Log in, and send the token as `Authorization: Bearer`.',
  ),
  INVALID_NONCE: authenticationError(
    'The nonce is unknown, used, expired, or issued for another address. Request a new one.',
  ),
  SIGNATURE_EXPIRED: authenticationError('Signature expired'),
  SIGNATURE_NOT_YET_VALID: authenticationError('The signature is dated in the future. Sign with the current time.'),
  INVALID_LOGIN_SIGNATURE: authenticationError('Invalid signature'),
  INSUFFICIENT_PERMISSIONS: authorizationError('Insufficient permissions'),
  API_KEY_ENDED: businessError('The API key has expired or was revoked.'),
  API_KEY_ALREADY_ROTATED: businessError('The API key was already rotated. Rotate the key that replaced it.'),
  INSUFFICIENT_SIGNATURES: authorizationError('Insufficient signatures'),
  EXECUTOR_NOT_ELIGIBLE: authorizationError(
    'Only the proposer, the admin of the vault, a cosigner, the buyer or the seller can execute a proposal.',
  ),
  COSIGNER_NOT_ELIGIBLE: authorizationError(
    'This wallet cannot cosign for the vault. See `GET /api/v1/proposals/{proposalId}/cosigners`.',
  ),
} as const satisfies Record<string, RegisteredError>;

/** Errors of claims from the pot of a vault that ends. */
const claimErrors = {
  CLAIMS_NOT_OPEN: businessError('Claims have not opened yet. Wait for the event CLAIMS_OPENED.', true),
  CLAIMS_CLOSED: businessError('Claims have closed.'),
  CLAIM_TOO_SMALL: businessError('The share of these tokens is less than one lovelace. Claim for more tokens.'),
  CLAIM_EXCEEDS_SUPPLY: businessError('`amount` is larger than the number of tokens in circulation.'),
  CLAIMS_AWAIT_SALE: businessError(
    'A sale is still being confirmed. Claim again when its proceeds are in the pot.',
    true,
  ),
  POT_IN_USE: businessError(
    'Other claims are using the outputs of the pot. Claim again when they are in a block.',
    true,
  ),
  CLAIM_OUTPUT_TAKEN: businessError('Another claim has spent the output of the pot. Claim again.'),
} as const satisfies Record<string, RegisteredError>;

/** Errors that only the operations under /dev have. A service without these operations does not document them. */
export const developmentErrors = {
  CLOCK_IS_MOVING: businessError('The clock is already being moved. Wait until it has arrived.', true),
  CLOCK_CANNOT_MOVE: businessError('The clock cannot move while other work is in progress. Try again.', true),
  LEDGER_SWITCH_REFUSED: blockchainError('The development ledger rejected the request.'),
};

/** Errors of stakes, proposals, votes and executions. */
const governanceErrors = {
  VAULT_NOT_LOCKED: businessError('The vault is not LOCKED yet. Wait until it has settled.', true),
  ONLY_SALES_WHILE_ENDING: businessError(
    'While claims are open, you can only propose sales and the return of staked assets.',
  ),
  CLAIMS_END_BEFORE_EXECUTION: businessError('Claims close before the proposal could be executed.'),
  CREATION_THRESHOLD_NOT_MET: businessError(
    'The final stakes of the proposer are below the creation threshold. Stake more tokens first.',
  ),
  ASSET_NOT_IN_VAULT: businessError('The vault does not hold this asset.'),
  ASSET_IN_ANOTHER_PROPOSAL: businessError(
    'Another proposal about this asset has passed. Wait until it has ended.',
    true,
  ),
  ENDORSING_CLOSED: businessError('The proposal no longer collects endorsements.'),
  ALREADY_ENDORSED: businessError('The wallet has already endorsed this proposal.'),
  VOTING_NOT_OPEN: businessError('Voting has not opened yet.', true),
  VOTE_NONCE_USED: businessError(
    'The wallet has already signed a vote on this proposal with this nonce. Sign again with a new nonce.',
  ),
  VOTE_ALREADY_REVOKED: businessError('The vote was already revoked or replaced.'),
  VOTING_CLOSED: businessError('Voting has closed.'),
  NOT_STAKED_AT_SNAPSHOT: businessError(
    'The wallet had no final stake when voting opened, so it has no voting power in this proposal.',
  ),
  INSUFFICIENT_VOTING_POWER: businessError('The wallet has less voting power than this. See `available`.'),
  PROPOSAL_NOT_CANCELLABLE: businessError('You can cancel a proposal only while it is a draft or in its lock phase.'),
  EXECUTION_NOT_OPEN: businessError('The execution phase has not opened yet.', true),
  EXECUTION_CLOSED: businessError('The execution phase is over, or the proposal has ended.'),
  EXECUTION_UNDER_WAY: businessError('The execution has already been submitted to the ledger.'),
  EXECUTION_NOT_REPLACEABLE: businessError(
    "Another wallet's transaction is still collecting signatures. You can replace it after `replaceableFrom`.",
    true,
  ),
  FROZEN_FOR_ANOTHER_ACTION: businessError(
    'The frozen transaction has another action or other cosigners. Repeat its request exactly, or freeze a new one.',
  ),
  PARTNER_REFUSED: businessError('Earlier executions with this buyer or seller have failed. Name another wallet.'),
  ASSET_NO_LONGER_HELD: businessError('The vault no longer holds the asset.'),
  ASSET_NOT_STAKED: businessError('The asset is not at this staking address.'),
  STAKING_ADDRESS_NOT_LISTED: businessError('The vault does not allow staking at this address. Use one of `listed`.'),
  CUSTODY_ROTATING: businessError(
    'The assets of the vault are moving to another custody. Execute the proposal when they have arrived.',
    true,
  ),
  CUSTODY_IN_USE: businessError(
    'Another execution uses the same assets or funds of the vault. Try again when it has ended.',
    true,
  ),
  WALLET_FUNDS_IN_USE: businessError(
    'Another transaction of the wallet uses the same funds. Freeze the execution again.',
  ),
  ACTION_DIFFERS_FROM_APPROVED: businessError('The action differs from the one that the vote approved.'),
  PRICE_BELOW_VALUATION: businessError(
    'The price is below the last valuation. That needs a vote on this price, and is not possible while the vault ends.',
  ),
  PRICE_ABOVE_VALUATION: businessError('The price is above the last valuation. That needs a vote on this price.'),
  STAKE_NOT_FINAL: businessError('The stake is not final on the ledger yet.', true),
  STAKE_LOCKED: businessError('A proposal that has not ended uses the stake. See `lockedUntil`.', true),
  STAKE_ALREADY_LEAVING: businessError('The stake is already being returned.'),
  STAKE_ALREADY_RELEASED: businessError('The stake has already been returned.'),
} as const satisfies Record<string, RegisteredError>;

/** Errors about what does not exist, or must look so to the caller. */
const notFoundErrors = {
  ROUTE_NOT_FOUND: notFound('No operation exists at this path. API paths start with /api/v1. See /docs.'),
  VERSION_NOT_SUPPORTED: notFound('This version of the API is not supported. See `GET /api/v1/versions`.'),
  VERSION_ENDED: { ...notFound('Version no longer supported'), status: 410 },
  VAULT_NOT_FOUND: notFound('Vault not found'),
  ASSET_NOT_FOUND: notFound('Asset not found'),
  INVESTMENT_NOT_FOUND: notFound('Investment not found'),
  TRANSACTION_NOT_FOUND: notFound('Transaction not found'),
  ANCHOR_NOT_FOUND: notFound('No anchored fact has this ID.'),
  WALLET_NOT_FOUND: notFound('No simulated wallet has this address.'),
  TYPE_NOT_FOUND: notFound('No registered type has this name.'),
  FEATURE_FLAG_NOT_FOUND: notFound('No feature flag has this name.'),
  API_KEY_NOT_FOUND: notFound('API key not found'),
  SESSION_NOT_FOUND: notFound('Session not found'),
  PROPOSAL_NOT_FOUND: notFound('Proposal not found'),
  VOTE_NOT_FOUND: notFound('Vote not found'),
  RECONCILIATION_NOT_FOUND: notFound('No reconciliation has this ID.'),
  STAKE_NOT_FOUND: notFound('Stake not found'),
  CLAIM_NOT_FOUND: notFound('Claim not found'),
  ROTATION_NOT_FOUND: notFound('Rotation not found'),
  UNSOLICITED_OUTPUT_NOT_FOUND: notFound('The vault has no unsolicited output with this reference.'),
} as const satisfies Record<string, RegisteredError>;

/** Errors of the request itself: its form, its values and its signatures. */
const requestErrors = {
  INVALID_REQUEST: validationError('Some fields of the request are invalid. See `details.errors`.'),
  INVALID_VAULT_PARAMS: validationError('Invalid vault parameters'),
  MALFORMED_JSON: validationError('The body is not valid JSON.'),
  BODY_TOO_LARGE: validationError('The body is too large or nested too deeply. Send less at once.', 413),
  UNSUPPORTED_MEDIA_TYPE: validationError('Send the body with the header `Content-Type: application/json`.', 415),
  IDEMPOTENCY_KEY_REUSED: validationError(
    'This `Idempotency-Key` was already used with another request. Use a new key.',
    422,
  ),
  METHOD_NOT_ALLOWED: validationError('This path does not have this method. See the header `Allow`.', 405),
  PRECONDITION_FAILED: validationError('The resource has changed since you read it. Read it again.', 412),
  INVALID_ADDRESS: validationError('This is not a Cardano address with a payment key.'),
  WRONG_NETWORK: validationError('The address belongs to another Cardano network.'),
  INVALID_CBOR: validationError('The value is not the expected CBOR.'),
  INVALID_ASSET_NAME: validationError('An asset name has at most 32 bytes. Write it as text, or as hex after `0x`.'),
  INVALID_QUANTITY: validationError('The asset cannot have this quantity.'),
  INVALID_SIGNATURE: validationError('Invalid signature'),
  WITNESS_FOR_ANOTHER_TRANSACTION: validationError('The witness signs another transaction.'),
  WITNESS_NOT_REQUIRED: validationError('None of these keys has to sign the transaction.'),
  THRESHOLD_BELOW_VAULT: validationError(
    'The thresholds and phases of a proposal must be at least those of its vault.',
  ),
} as const satisfies Record<string, RegisteredError>;

/** Errors of transactions, of external services and of the service itself. */
const systemErrors = {
  UNSOLICITED_OUTPUT_LEAVING: businessError('The output is already being returned, or has been returned.'),
  UNSOLICITED_OUTPUT_GONE: businessError('The output was spent on the ledger.'),
  UNSOLICITED_OUTPUT_HELD: businessError(
    'A pending transaction already spends the output. Try again when it has ended.',
    true,
  ),
  UNSOLICITED_OUTPUT_OF_OWNER: businessError(
    'An output at a deposit address can only return to the owner of that address.',
  ),
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: businessError(
    'The platform cannot return this output without signatures of others.',
  ),

  TRANSACTION_EXPIRED: blockchainError('The transaction has expired. Start the operation again.'),
  TRANSACTION_NOT_AWAITING_SIGNATURES: blockchainError('The transaction does not accept signatures in this status.'),
  TRANSACTION_NOT_WITHDRAWABLE: businessError(
    'You can withdraw only an unsigned transaction of a wallet, or an unsigned return from custody.',
  ),
  SECURITY_CONSTRAINTS_NOT_MET: blockchainError('Security constraints not met'),
  TRANSACTION_NOT_JUSTIFIED: blockchainError('The platform refuses to sign the transaction. Contact the operator.'),
  OPERATOR_BUDGET_SPENT: businessError(
    "The operator has spent today's budget for transactions of this kind. Payments resume at midnight (UTC).",
    true,
  ),

  TOO_MANY_FEATURE_FLAGS: businessError('The service has its maximum number of feature flags. Delete one first.'),

  TOO_MANY_CONNECTIONS: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'This caller, or the service as a whole, has too many open connections. Close one, or try again later.',
    retryable: true,
  },
  TOO_MANY_SUBSCRIPTIONS: businessError('The connection has its maximum number of subscriptions. Remove one first.'),
  CONSUMER_TOO_SLOW: businessError(
    'The client read its events too slowly. Connect again, and continue after the last event.',
    true,
  ),
  SERVICE_STOPPING: businessError('The process that served this connection is stopping. Connect again.', true),

  LEDGER_UNAVAILABLE: externalServiceError('The ledger is not reachable. Try again later.'),
  LEDGER_HISTORY_CHANGED: externalServiceError(
    'The history of the ledger differs from the recorded one. Contact the operator.',
  ),
  PRICE_UNAVAILABLE: externalServiceError('The price source has no current price for this asset.'),

  SERVICE_NOT_READY: {
    type: 'SYSTEM_ERROR',
    status: 503,
    message: 'The service is not ready. Try again later.',
    retryable: true,
  },
  SYSTEM_ERROR: {
    type: 'SYSTEM_ERROR',
    status: 500,
    message: 'An internal error occurred. Try again, and give the operator the `correlationId`.',
    retryable: true,
  },
  FREE_ACTIONS_USED_UP: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'Daily limit for this action reached. Try again after `retryAfterSeconds`.',
    retryable: true,
  },
  RATE_LIMIT_EXCEEDED: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'Too many requests. Try again after the seconds in `Retry-After`.',
    retryable: true,
  },
} as const satisfies Record<string, RegisteredError>;

/** Errors of vaults, their windows and their deposits. */
const vaultErrors = {
  INVALID_TRANSITION: businessError('This change of status is not possible.'),
  OPERATION_PAUSED: businessError('The operator has paused this operation. See `GET /api/v1/pauses`.', true),
  VAULT_NOT_CANCELLABLE: businessError('You can cancel a vault only until its settlement is planned.'),
  VAULT_NOT_DELETABLE: businessError(
    'You can delete a vault only when it is unused, holds nothing and owes nothing. See `blockedBy`.',
  ),
  VAULT_ALREADY_ENDED: businessError('The vault has ended or is ending.'),
  ROTATION_UNDER_WAY: businessError(
    'Another rotation of the vault is announced or running. Wait until it has finished, or cancel it.',
  ),
  ROTATION_NOT_CANCELLABLE: businessError('You can cancel a rotation only before it begins.'),
  VAULT_WITHOUT_COSIGNERS: businessError('The vault has no cosigners who could agree to this change.'),
  SETTING_NOT_CHANGEABLE: businessError('This setting can no longer be changed.'),

  ASSET_WINDOW_NOT_OPEN: businessError('The asset window has not opened yet.', true),
  ASSET_WINDOW_CLOSED: businessError('The asset window has closed.'),
  INVESTMENT_WINDOW_NOT_OPEN: businessError('The investment window has not opened yet.', true),
  INVESTMENT_WINDOW_CLOSED: businessError('The investment window has closed.'),

  CONTRIBUTOR_NOT_WHITELISTED: businessError("This wallet is not on the vault's list of contributors."),
  INVESTOR_NOT_WHITELISTED: businessError("This wallet is not on the vault's list of investors."),
  ASSET_NOT_WHITELISTED: businessError('The vault does not accept assets of this policy.'),
  ASSET_TYPE_NOT_ALLOWED: businessError('The vault does not accept assets of this type.'),
  TYPE_IS_BUILT_IN: businessError('Types of the specification cannot be changed.'),
  VALUATION_METHOD_NOT_ALLOWED: businessError(
    'The vault does not value this asset by this method. Use one of `allowed`.',
  ),
  ASSET_IS_VAULT_TOKEN: businessError(
    "A vault cannot buy its own tokens, because their value depends on the vault's assets.",
  ),
  ASSET_IS_REFERENCE_TOKEN: businessError(
    'A reference token (CIP-68, label 100) only describes another token. Use the token that it describes.',
  ),
  MAX_ASSETS_REACHED: businessError('The vault already has its maximum number of assets.'),
  ASSETS_DO_NOT_FIT: businessError('The assets do not fit into one transaction. Send fewer at once.'),
  ASSET_ALREADY_IN_VAULT: businessError('This asset is already in a vault.'),
  ASSET_NOT_IN_WALLET: blockchainError(
    'The wallet does not hold this asset in this quantity. Staked tokens count only after you unstake them.',
    true,
  ),
  ASSET_NOT_LOCKED: businessError('The asset is not LOCKED in the vault yet.', true),
  ASSET_ALREADY_LEAVING: businessError('The asset is already being returned.'),
  ASSET_ALREADY_REMOVED: businessError('The asset is no longer in the vault.'),
  INVESTMENT_NOT_CONFIRMED: businessError('The investment is not in a block yet.', true),
  INVESTMENT_ALREADY_LEAVING: businessError('The investment is already being returned.'),
  INVESTMENT_ALREADY_RETURNED: businessError('The investment is no longer in the vault.'),
  INVESTMENT_TOO_SMALL: businessError('The minimum investment is 5 ADA.'),
  UTXO_NOT_ON_LEDGER: blockchainError('The ledger has no unspent output with this reference and value.', true),
  INSUFFICIENT_FUNDS: blockchainError('The wallet does not hold enough ADA.', true),
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
