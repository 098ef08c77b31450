type ErrorType =
  | 'VALIDATION_ERROR'
  | 'AUTHENTICATION_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'BLOCKCHAIN_ERROR'
  | 'BUSINESS_LOGIC_ERROR'
  | 'EXTERNAL_SERVICE_ERROR'
  | 'SYSTEM_ERROR';

/** What the OpenAPI document says about a code, in `x-error-codes`. */
interface RegisteredError<Details> {
  readonly type: ErrorType;
  /** HTTP status. */
  readonly status: number;
  readonly message: string;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
  /** The fields of `details` besides `errors`. Each is there only when it is known. */
  readonly details?: Details;
}

declare const valueOfField: unique symbol;
/** The description of a field of `details`, whose values have the type `Value`. */
type Field<Value> = string & { readonly [valueOfField]?: Value };

const field = <Value = string>(description: string) => description as Field<Value>;

/** Makes errors of one type, status, and chance that the same request succeeds later. */
const errorsOf =
  (type: ErrorType, status: number, retryable = false) =>
  <Details extends object = object>(message: string, details?: Details): RegisteredError<Details> => ({
    type,
    status,
    message,
    retryable,
    ...(details && { details }),
  });

const validationError = errorsOf('VALIDATION_ERROR', 400);
const authenticationError = errorsOf('AUTHENTICATION_ERROR', 401);
const authorizationError = errorsOf('AUTHORIZATION_ERROR', 403);
const businessError = errorsOf('BUSINESS_LOGIC_ERROR', 400);
const temporaryError = errorsOf('BUSINESS_LOGIC_ERROR', 400, true);
const tooManyError = errorsOf('BUSINESS_LOGIC_ERROR', 429, true);
const notFound = errorsOf('BUSINESS_LOGIC_ERROR', 404);
const blockchainError = errorsOf('BLOCKCHAIN_ERROR', 400);
const temporaryBlockchainError = errorsOf('BLOCKCHAIN_ERROR', 400, true);
const externalServiceError = errorsOf('EXTERNAL_SERVICE_ERROR', 500, true);

const ofTermination = { claimDeadline: field('end of the claims, omitted until they open') };
const window = { startsAt: field('start of the window'), endsAt: field('end of the window') };
const phase = {
  phase: field('current phase of the proposal'),
  phaseEndsAt: field<string | null>('end of that phase, `null` when it has ended'),
};
const inOutput = { output: field('the output as `<hash>#<index>`') };
const asset = { policyId: field('policy ID'), assetName: field('asset name in hex') };
const heldBy = field<readonly object[]>(
  'pending transactions that use outputs of the wallet: {transactionHash, status, expiresAt}. You can spend the ' +
    'change of a transaction when it is in a block, and its inputs again when you withdraw it unsigned.',
);
const toSign = field<object>(
  'the transaction to sign and its deadline: {tx_hash, status, block_height, unsigned_tx, expires_at, required_signers}',
);

/** Errors of who calls, and of what they may do. */
const accessErrors = {
  API_KEY_REQUIRED: authenticationError('API key required', { header: field('the missing header') }),
  INVALID_API_KEY: authenticationError('Invalid API key', { header: field('the invalid header') }),
  INVALID_SESSION: authenticationError('The session is unknown or has ended. Log in again.', {
    header: field('the invalid header. Log in again, or send no session.'),
  }),
  SESSION_REQUIRED: authenticationError(
    'This request needs a wallet session. Log in, and send the token as `Authorization: Bearer`.',
    { header: field('the missing header'), value: field('the expected value of the header') },
  ),
  INVALID_NONCE: authenticationError(
    'The nonce is unknown, used, expired, or issued for another address. Request a new one.',
  ),
  SIGNATURE_EXPIRED: authenticationError('Signature expired'),
  SIGNATURE_NOT_YET_VALID: authenticationError('The signature is dated in the future. Sign with the current time.'),
  INVALID_LOGIN_SIGNATURE: authenticationError('Invalid signature', {
    reason: field('problem of the signature: malformed, other_address, other_key, other_payload or forged'),
  }),
  INSUFFICIENT_PERMISSIONS: authorizationError('Insufficient permissions', {
    required: field('required permission or session'),
    heldOnlyWhere: field<object>('conditions under which the caller has the permission'),
  }),
  API_KEY_ENDED: businessError('The API key has expired or was revoked.'),
  API_KEY_ALREADY_ROTATED: businessError('The API key was already rotated. Rotate the key that replaced it.'),
  INSUFFICIENT_SIGNATURES: authorizationError('Insufficient signatures', {
    required: field<number>('number of wallets that must sign'),
    present: field<number>('number of required signatures that were given'),
    missing: field<number>('number of missing signatures'),
    missingSigners: field<readonly string[]>(
      'wallets that can still sign. They may be more cosigners than have to sign.',
    ),
    transaction: toSign,
  }),
  EXECUTOR_NOT_ELIGIBLE: authorizationError(
    'Only the proposer, the admin of the vault, a cosigner, the buyer or the seller can execute a proposal.',
    { wallet: field('wallet that cannot execute') },
  ),
  COSIGNER_NOT_ELIGIBLE: authorizationError(
    'This wallet cannot cosign for the vault. See `GET /api/v1/proposals/{proposalId}/cosigners`.',
    {
      wallets: field<readonly string[]>('wallets that cannot cosign'),
      required: field('the condition that they do not meet'),
    },
  ),
};

/** Errors of claims from the pot of a vault that ends. */
const claimErrors = {
  CLAIMS_NOT_OPEN: temporaryError('Claims have not opened yet. Wait for the event CLAIMS_OPENED.', ofTermination),
  CLAIMS_CLOSED: businessError('Claims have closed.', ofTermination),
  CLAIM_TOO_SMALL: businessError('The share of these tokens is less than one lovelace. Claim for more tokens.', {
    minimumBaseUnits: field<string | null>('base units that bring one lovelace, `null` while the pot is empty'),
  }),
  CLAIM_EXCEEDS_SUPPLY: businessError('`amount` is larger than the number of tokens in circulation.', {
    circulatingBaseUnits: field('base units in circulation'),
  }),
  CLAIMS_AWAIT_SALE: temporaryError('A sale is still being confirmed. Claim again when its proceeds are in the pot.'),
  POT_IN_USE: temporaryError('Other claims are using the outputs of the pot. Claim again when they are in a block.'),
  CLAIM_OUTPUT_TAKEN: businessError('Another claim has spent the output of the pot. Claim again.', {
    outputs: field<readonly string[]>('outputs in use, as `<hash>#<index>`'),
  }),
};

/** Errors that only the operations under /dev have. A service without these operations does not document them. */
export const developmentErrors = {
  CLOCK_IS_MOVING: temporaryError('The clock is already being moved. Wait until it has arrived.'),
  CLOCK_CANNOT_MOVE: temporaryError('The clock cannot move while other work is in progress. Try again.', {
    waitingFor: field<readonly string[]>('the work in progress'),
  }),
  LEDGER_SWITCH_REFUSED: blockchainError('The development ledger rejected the request.', {
    reason: field('why the ledger rejected it'),
  }),
};

/** Errors of stakes, proposals, votes and executions. */
const governanceErrors = {
  VAULT_NOT_LOCKED: temporaryError('The vault is not LOCKED yet. Wait until it has settled.', {
    status: field('current status of the vault'),
  }),
  ONLY_SALES_WHILE_ENDING: businessError(
    'While claims are open, you can only propose sales and the return of staked assets.',
  ),
  CLAIMS_END_BEFORE_EXECUTION: businessError('Claims close before the proposal could be executed.', {
    ...ofTermination,
    executionEndsAt: field('end of the execution phase if it were executed'),
  }),
  CREATION_THRESHOLD_NOT_MET: businessError(
    'The final stakes of the proposer are below the creation threshold. Stake more tokens first.',
    {
      required: field('required percentage of the supply'),
      staked: field('base units of the final stakes of the proposer'),
      supply: field('base units of the whole supply, or of the circulating supply while holders claim'),
    },
  ),
  ASSET_NOT_IN_VAULT: businessError('The vault does not hold this asset.'),
  ASSET_IN_ANOTHER_PROPOSAL: temporaryError('Another proposal about this asset has passed. Wait until it has ended.'),
  ENDORSING_CLOSED: businessError('The proposal no longer collects endorsements.', phase),
  ALREADY_ENDORSED: businessError('The wallet has already endorsed this proposal.', {
    wallet: field('wallet that has endorsed'),
  }),
  VOTING_NOT_OPEN: temporaryError('Voting has not opened yet.', phase),
  VOTE_NONCE_USED: businessError(
    'The wallet has already signed a vote on this proposal with this nonce. Sign again with a new nonce.',
    { voteId: field('vote with this nonce') },
  ),
  VOTE_ALREADY_REVOKED: businessError('The vote was already revoked or replaced.'),
  VOTING_CLOSED: businessError('Voting has closed.', phase),
  NOT_STAKED_AT_SNAPSHOT: businessError(
    'The wallet had no final stake when voting opened, so it has no voting power in this proposal.',
    {
      required: field('base units of the vote'),
      votingStartedAt: field('stakes that were final before this time give voting power'),
    },
  ),
  INSUFFICIENT_VOTING_POWER: businessError('The wallet has less voting power than this. See `available`.', {
    required: field('required base units'),
    available: field('available base units'),
  }),
  PROPOSAL_NOT_CANCELLABLE: businessError(
    'You can cancel a proposal only while it is a draft or in its lock phase.',
    phase,
  ),
  EXECUTION_NOT_OPEN: temporaryError('The execution phase has not opened yet.', phase),
  EXECUTION_CLOSED: businessError('The execution phase is over, or the proposal has ended.', phase),
  EXECUTION_UNDER_WAY: businessError('The execution has already been submitted to the ledger.', phase),
  EXECUTION_NOT_REPLACEABLE: temporaryError(
    "Another wallet's transaction is still collecting signatures. You can replace it after `replaceableFrom`.",
    {
      frozenBy: field('wallet that froze it'),
      replaceableFrom: field('time from which another wallet can freeze an execution'),
    },
  ),
  FROZEN_FOR_ANOTHER_ACTION: businessError(
    'The frozen transaction has another action or other cosigners. Repeat its request exactly, or freeze a new one.',
    { transaction: toSign },
  ),
  PARTNER_REFUSED: businessError('Earlier executions with this buyer or seller have failed. Name another wallet.', {
    wallet: field('buyer or seller'),
    failures: field<number>('number of failed executions with the key of the wallet'),
  }),
  ASSET_NO_LONGER_HELD: businessError('The vault no longer holds the asset.', {
    assetIds: field<readonly string[]>('assets that the vault no longer holds'),
    units: field<readonly string[]>('required units: policy IDs and asset names, in hex'),
  }),
  ASSET_NOT_STAKED: businessError('The asset is not at this staking address.', {
    assetIds: field<readonly string[]>('assets that are not at the staking address'),
  }),
  STAKING_ADDRESS_NOT_LISTED: businessError('The vault does not allow staking at this address. Use one of `listed`.', {
    address: field('the requested address'),
    listed: field<readonly string[]>('addresses where the vault may stake'),
  }),
  CUSTODY_ROTATING: temporaryError(
    'The assets of the vault are moving to another custody. Execute the proposal when they have arrived.',
  ),
  CUSTODY_IN_USE: temporaryError(
    'Another execution uses the same assets or funds of the vault. Try again when it has ended.',
    { units: field<readonly string[]>('units that another execution uses: policy IDs and asset names, in hex') },
  ),
  WALLET_FUNDS_IN_USE: businessError(
    'Another transaction of the wallet uses the same funds. Freeze the execution again.',
    {
      wallet: field<string | null>('owner of the funds'),
      inputs: field<readonly string[]>('outputs in use, as `<hash>#<index>`'),
    },
  ),
  ACTION_DIFFERS_FROM_APPROVED: businessError('The action differs from the one that the vote approved.'),
  PRICE_BELOW_VALUATION: businessError(
    'The price is below the last valuation. That needs a vote on this price, and is not possible while the vault ends.',
    {
      valuation: field<string | null>('minimum price in lovelace, `null` if unknown'),
      price: field<string | null>('requested lovelace'),
    },
  ),
  PRICE_ABOVE_VALUATION: businessError('The price is above the last valuation. That needs a vote on this price.', {
    valuation: field<string | null>('maximum price in lovelace, `null` if unknown'),
    price: field<string | null>('requested lovelace'),
  }),
  STAKE_NOT_FINAL: temporaryError('The stake is not final on the ledger yet.'),
  STAKE_LOCKED: temporaryError('A proposal that has not ended uses the stake. See `lockedUntil`.', {
    lockedUntil: field('latest time at which the stake becomes free'),
  }),
  STAKE_ALREADY_LEAVING: businessError('The stake is already being returned.'),
  STAKE_ALREADY_RELEASED: businessError('The stake has already been returned.'),
};

/** Errors about what does not exist, or must look so to the caller. */
const notFoundErrors = {
  ROUTE_NOT_FOUND: notFound('No operation exists at this path. API paths start with /api/v1. See /docs.'),
  VERSION_NOT_SUPPORTED: notFound('This version of the API is not supported. See `GET /api/v1/versions`.'),
  VERSION_ENDED: errorsOf('BUSINESS_LOGIC_ERROR', 410)('Version no longer supported', {
    minimumVersion: field('oldest supported version'),
    migrationGuide: field('address of the guide for moving to that version'),
  }),
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
  UNSOLICITED_OUTPUT_NOT_FOUND: notFound('The vault has no unsolicited output with this reference.', inOutput),
};

/** Errors of the request itself: its form, its values and its signatures. */
const requestErrors = {
  INVALID_REQUEST: validationError('Some fields of the request are invalid. See `details.errors`.'),
  INVALID_VAULT_PARAMS: validationError('Invalid vault parameters'),
  MALFORMED_JSON: validationError('The body is not valid JSON.'),
  BODY_TOO_LARGE: errorsOf('VALIDATION_ERROR', 413)('The body is too large or nested too deeply. Send less at once.', {
    maxValues: field<number>(
      'maximum number of values in all lists and objects. Omitted if the body has too many bytes.',
    ),
    maxDepth: field<number>('maximum nesting. Omitted if the body has too many bytes.'),
  }),
  UNSUPPORTED_MEDIA_TYPE: errorsOf(
    'VALIDATION_ERROR',
    415,
  )('Send the body with the header `Content-Type: application/json`.'),
  IDEMPOTENCY_KEY_REUSED: errorsOf(
    'VALIDATION_ERROR',
    422,
  )('This `Idempotency-Key` was already used with another request. Use a new key.'),
  METHOD_NOT_ALLOWED: errorsOf('VALIDATION_ERROR', 405)(
    'This path does not have this method. See the header `Allow`.',
    { allowed: field<readonly string[]>('methods of this path, same as `Allow`') },
  ),
  PRECONDITION_FAILED: errorsOf('VALIDATION_ERROR', 412)('The resource has changed since you read it. Read it again.', {
    header: field('header whose condition does not hold'),
  }),
  INVALID_ADDRESS: validationError('This is not a Cardano address with a payment key.'),
  WRONG_NETWORK: validationError('The address belongs to another Cardano network.'),
  INVALID_CBOR: validationError('The value is not the expected CBOR.'),
  INVALID_ASSET_NAME: validationError('An asset name has at most 32 bytes. Write it as text, or as hex after `0x`.'),
  INVALID_QUANTITY: validationError('The asset cannot have this quantity.'),
  INVALID_SIGNATURE: validationError('Invalid signature', {
    keyHash: field('expected signer key hash'),
    hash: field('expected signed hash'),
  }),
  WITNESS_FOR_ANOTHER_TRANSACTION: validationError('The witness signs another transaction.', {
    signed: field('hash of the transaction that the witness signs'),
  }),
  WITNESS_NOT_REQUIRED: validationError('None of these keys has to sign the transaction.', {
    keyHash: field('key hash of the signer'),
    requiredSigners: field<readonly string[]>('key hashes of the required signers'),
  }),
  THRESHOLD_BELOW_VAULT: validationError(
    'The thresholds and phases of a proposal must be at least those of its vault.',
  ),
};

/** Errors of transactions, of external services and of the service itself. */
const systemErrors = {
  UNSOLICITED_OUTPUT_LEAVING: businessError('The output is already being returned, or has been returned.', inOutput),
  UNSOLICITED_OUTPUT_GONE: businessError('The output was spent on the ledger.', inOutput),
  UNSOLICITED_OUTPUT_HELD: temporaryError(
    'A pending transaction already spends the output. Try again when it has ended.',
  ),
  UNSOLICITED_OUTPUT_OF_OWNER: businessError(
    'An output at a deposit address can only return to the owner of that address.',
    { ...inOutput, owner: field('wallet that it can return to') },
  ),
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: businessError(
    'The platform cannot return this output without signatures of others.',
    { ...inOutput, place: field('kind of address that holds the output') },
  ),
  TRANSACTION_EXPIRED: blockchainError('The transaction has expired. Start the operation again.', {
    expiresAt: field('time of expiry'),
    reason: field<string | null>('reason why it ended before that time, otherwise `null`'),
  }),
  TRANSACTION_NOT_AWAITING_SIGNATURES: blockchainError('The transaction does not accept signatures in this status.'),
  TRANSACTION_NOT_WITHDRAWABLE: businessError(
    'You can withdraw only an unsigned transaction of a wallet, or an unsigned return from custody.',
    { kind: field('purpose of the transaction'), status: field('current status') },
  ),
  SECURITY_CONSTRAINTS_NOT_MET: blockchainError('Security constraints not met', {
    rule: field('ledger rule that the transaction breaks. `LedgerFailure` for a rule without a name here.'),
    reason: field('the same in words'),
  }),
  TRANSACTION_NOT_JUSTIFIED: blockchainError('The platform refuses to sign the transaction. Contact the operator.', {
    reason: field('reason of the refusal'),
  }),
  OPERATOR_BUDGET_SPENT: temporaryError(
    "The operator has spent today's budget for transactions of this kind. Payments resume at midnight (UTC).",
    { resumesAt: field('time from which the operator pays again') },
  ),
  TOO_MANY_FEATURE_FLAGS: businessError('The service has its maximum number of feature flags. Delete one first.'),
  TOO_MANY_CONNECTIONS: tooManyError(
    'This caller, or the service as a whole, has too many open connections. Close one, or try again later.',
    { retryAfterSeconds: field<number>('seconds to wait, same as `Retry-After`') },
  ),
  TOO_MANY_SUBSCRIPTIONS: businessError('The connection has its maximum number of subscriptions. Remove one first.', {
    maximum: field<number>('maximum number of subscriptions of a connection'),
  }),
  CONSUMER_TOO_SLOW: temporaryError(
    'The client read its events too slowly. Connect again, and continue after the last event.',
  ),
  SERVICE_STOPPING: temporaryError('The process that served this connection is stopping. Connect again.'),
  LEDGER_UNAVAILABLE: externalServiceError('The ledger is not reachable. Try again later.', {
    reason: field('reason why the ledger cannot be used'),
  }),
  LEDGER_HISTORY_CHANGED: externalServiceError(
    'The history of the ledger differs from the recorded one. Contact the operator.',
    {
      tipHeight: field<number>('height of the last recorded block'),
      forkHeight: field<number | null>('height of the last recorded block that the ledger has, `null` if it has none'),
    },
  ),
  PRICE_UNAVAILABLE: externalServiceError('The price source has no current price for this asset.', {
    ...asset,
    asOf: field('time of the last price'),
    source: field('source of the last price'),
  }),
  SERVICE_NOT_READY: errorsOf(
    'SYSTEM_ERROR',
    503,
    true,
  )('The service is not ready. Try again later.', {
    ...phase,
    waitingFor: field('part of the service that is not ready'),
    checks: field<object>('result of each check'),
    operator: field<object | null>(
      'as in `details` of a process that is ready. Only for a key with the role ADMIN, as the next two.',
    ),
    anchors: field<object>('the same'),
    unreadable: field<readonly string[]>('names of details that could not be read'),
    retryAfterSeconds: field<number>('seconds to wait, same as `Retry-After`'),
  }),
  SYSTEM_ERROR: errorsOf(
    'SYSTEM_ERROR',
    500,
    true,
  )('An internal error occurred. Try again, and give the operator the `correlationId`.'),
  FREE_ACTIONS_USED_UP: tooManyError('Daily limit for this action reached. Try again after `retryAfterSeconds`.', {
    wallet: field('wallet, or ID of the API key, that has to wait'),
    action: field('kind of action: vote_change, endorsement, proposal, vault_change or vault_creation'),
    limit: field<number>('maximum number of these actions of a wallet within 24 hours'),
    retryAfterSeconds: field<number>('seconds until the next one is possible, same as `Retry-After`'),
  }),
  RATE_LIMIT_EXCEEDED: tooManyError('Too many requests. Try again after the seconds in `Retry-After`.', {
    retryAfterSeconds: field<number>('seconds to wait in real time, same as `Retry-After`'),
    waitingFor: field(
      'the writes, or the requests of the caller, that must finish first. Omitted if the caller exceeded its own limit.',
    ),
  }),
};

/** Errors of vaults, their windows and their deposits. */
const vaultErrors = {
  INVALID_TRANSITION: businessError('This change of status is not possible.', {
    subject: field('resource with the status'),
    from: field('current state'),
    to: field('requested state'),
    direction: field('forward or rollback'),
  }),
  OPERATION_PAUSED: temporaryError('The operator has paused this operation. See `GET /api/v1/pauses`.', {
    area: field('paused area'),
    reason: field('reason given by the operator'),
    since: field('start of the pause'),
  }),
  VAULT_NOT_CANCELLABLE: businessError('You can cancel a vault only until its settlement is planned.'),
  VAULT_NOT_DELETABLE: businessError(
    'You can delete a vault only when it is unused, holds nothing and owes nothing. See `blockedBy`.',
    {
      status: field('current status of the vault'),
      blockedBy: field<readonly string[]>(
        'whatever the vault still holds, owes or waits for: deposits, stakes, proposals, transactions, ' +
          'unsolicited_outputs, quarantine, value_on_ledger (an output at one of its own addresses)',
      ),
    },
  ),
  VAULT_ALREADY_ENDED: businessError('The vault has ended or is ending.', {
    status: field('current status of the vault'),
  }),
  ROTATION_UNDER_WAY: businessError(
    'Another rotation of the vault is announced or running. Wait until it has finished, or cancel it.',
  ),
  ROTATION_NOT_CANCELLABLE: businessError('You can cancel a rotation only before it begins.'),
  VAULT_WITHOUT_COSIGNERS: businessError('The vault has no cosigners who could agree to this change.'),
  SETTING_NOT_CHANGEABLE: businessError('This setting can no longer be changed. `errors` names the field.'),
  ASSET_WINDOW_NOT_OPEN: temporaryError('The asset window has not opened yet. Try again after `startsAt`.', window),
  ASSET_WINDOW_CLOSED: businessError('The asset window has closed.', window),
  INVESTMENT_WINDOW_NOT_OPEN: temporaryError(
    'The investment window has not opened yet. Try again after `startsAt`.',
    window,
  ),
  INVESTMENT_WINDOW_CLOSED: businessError('The investment window has closed.', window),
  CONTRIBUTOR_NOT_WHITELISTED: businessError("This wallet is not on the vault's list of contributors."),
  INVESTOR_NOT_WHITELISTED: businessError("This wallet is not on the vault's list of investors."),
  ASSET_NOT_WHITELISTED: businessError('The vault does not accept assets of this policy.', {
    policyId: field('policy that the vault does not accept'),
  }),
  ASSET_TYPE_NOT_ALLOWED: businessError('The vault does not accept assets of this type.', {
    type: field('type that the vault does not accept'),
  }),
  TYPE_IS_BUILT_IN: businessError('Built-in types cannot be changed. Register a new type.'),
  VALUATION_METHOD_NOT_ALLOWED: businessError(
    'The vault does not value this asset by this method. Use one of `allowed`.',
    {
      method: field('method that the vault does not use for this asset'),
      allowed: field<readonly string[]>('allowed methods'),
    },
  ),
  ASSET_IS_VAULT_TOKEN: businessError(
    "A vault cannot buy its own tokens, because their value depends on the vault's assets.",
  ),
  ASSET_IS_REFERENCE_TOKEN: businessError(
    'A reference token (CIP-68, label 100) only describes another token. Use the token that it describes.',
  ),
  MAX_ASSETS_REACHED: businessError('The vault already has its maximum number of assets.', {
    maxAssets: field<number>('maximum number of assets'),
  }),
  ASSETS_DO_NOT_FIT: businessError('The assets do not fit into one transaction. Send fewer at once.', {
    requested: field<number>('number of requested assets'),
    fitting: field<number>('number of the first assets that fit into one transaction'),
  }),
  ASSET_ALREADY_IN_VAULT: businessError('This asset is already in a vault.', asset),
  ASSET_NOT_IN_WALLET: temporaryBlockchainError(
    'The wallet does not hold this asset in this quantity. Staked tokens count only after you unstake them.',
    {
      wallet: field('wallet without the asset, or `contractAddress` of the vault'),
      unit: field('policy ID and asset name, in hex'),
      required: field('required base units'),
      available: field('free base units'),
      stakedBaseUnits: field('base units that the wallet has staked and must unstake first (only for a claim)'),
      heldBy,
    },
  ),
  ASSET_NOT_LOCKED: temporaryError('The asset is not LOCKED in the vault yet. Wait for its deposit.'),
  ASSET_ALREADY_LEAVING: businessError('The asset is already being returned.'),
  ASSET_ALREADY_REMOVED: businessError('The asset is no longer in the vault.'),
  INVESTMENT_NOT_CONFIRMED: temporaryError('The investment is not in a block yet. Try again when it is.'),
  INVESTMENT_ALREADY_LEAVING: businessError('The investment is already being returned.'),
  INVESTMENT_ALREADY_RETURNED: businessError('The investment is no longer in the vault.'),
  INVESTMENT_TOO_SMALL: businessError('The minimum investment is 5 ADA.', { minimum: field('minimum in lovelace') }),
  UTXO_NOT_ON_LEDGER: temporaryBlockchainError(
    'The ledger has no unspent output with this reference and value.',
    inOutput,
  ),
  INSUFFICIENT_FUNDS: temporaryBlockchainError('The wallet does not hold enough ADA.', {
    wallet: field('wallet without enough ADA, or `contractAddress` of the vault'),
    required: field('required lovelace'),
    available: field('free lovelace'),
    missingLovelace: field('missing lovelace'),
    reason: field('reason why the free lovelace cannot be used'),
    heldBy,
  }),
};

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

type DetailsIn<Registered> =
  Registered extends RegisteredError<infer Details>
    ? {
        readonly [Name in keyof Details]?: Details[Name] extends Field<infer Value> ? Value : never;
      } & { readonly errors?: readonly FieldProblem[] }
    : never;

/** The details of an error with this code, or with one of these. */
export type DetailsOf<Code extends ErrorCode> = { [C in Code]: DetailsIn<(typeof errorRegistry)[C]> }[Code];
