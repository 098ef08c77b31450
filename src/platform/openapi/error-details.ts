import type { ErrorCode } from '../errors.ts';

const ofTermination = { claimDeadline: 'end of the claims, omitted until they open' };

/** As `errorDetails`, of claims from the pot of a vault that ends. */
const claimErrorDetails = {
  CLAIMS_NOT_OPEN: ofTermination,
  CLAIMS_CLOSED: ofTermination,
  CLAIMS_END_BEFORE_EXECUTION: { ...ofTermination, executionEndsAt: 'end of the execution phase if it were executed' },
  CLAIM_TOO_SMALL: { minimumBaseUnits: 'base units that bring one lovelace, `null` while the pot is empty' },
  CLAIM_EXCEEDS_SUPPLY: { circulatingBaseUnits: 'base units in circulation' },
  CLAIM_OUTPUT_TAKEN: { outputs: 'outputs in use, as `<hash>#<index>`' },
};

const window = { startsAt: 'start of the window', endsAt: 'end of the window' };
const phase = { phase: 'current phase of the proposal', phaseEndsAt: 'end of that phase, `null` when it has ended' };
const heldBy =
  'pending transactions that use outputs of the wallet: {transactionHash, status, expiresAt}. You can spend the ' +
  'change of a transaction when it is in a block, and its inputs again when you withdraw it unsigned.';
const inOutput = { output: 'the output as `<hash>#<index>`' };
const asset = { policyId: 'policy ID', assetName: 'asset name in hex' };
const toSign =
  'the transaction to sign and its deadline: {tx_hash, status, block_height, unsigned_tx, expires_at, required_signers}';

/** Fields of `details` besides `errors`, by error code; published with the registry. Each is present only when it is known. */
export const errorDetails: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  INVALID_SIGNATURE: { keyHash: 'expected signer key hash', hash: 'expected signed hash' },
  WITNESS_FOR_ANOTHER_TRANSACTION: { signed: 'hash of the transaction that the witness signs' },
  WITNESS_NOT_REQUIRED: { keyHash: 'key hash of the signer', requiredSigners: 'key hashes of the required signers' },

  API_KEY_REQUIRED: { header: 'the missing header' },
  INVALID_API_KEY: { header: 'the invalid header' },
  INVALID_SESSION: { header: 'the invalid header. Log in again, or send no session.' },
  SESSION_REQUIRED: { header: 'the missing header', value: 'the expected value of the header' },
  INVALID_LOGIN_SIGNATURE: {
    reason: 'problem of the signature: malformed, other_address, other_key, other_payload or forged',
  },
  INSUFFICIENT_PERMISSIONS: {
    required: 'required permission or session',
    heldOnlyWhere: 'conditions under which the caller has the permission',
  },
  OPERATION_PAUSED: {
    area: 'paused area',
    reason: 'reason given by the operator',
    since: 'start of the pause',
  },
  INSUFFICIENT_SIGNATURES: {
    required: 'number of wallets that must sign',
    present: 'number of required signatures that were given',
    missing: 'number of missing signatures',
    missingSigners: 'wallets that can still sign. They may be more cosigners than have to sign.',
    transaction: toSign,
  },
  EXECUTOR_NOT_ELIGIBLE: { wallet: 'wallet that cannot execute' },
  PARTNER_REFUSED: {
    wallet: 'buyer or seller',
    failures: 'number of failed executions with the key of the wallet',
  },
  COSIGNER_NOT_ELIGIBLE: {
    wallets: 'wallets that cannot cosign',
    required: 'the condition that they do not meet',
  },

  VERSION_ENDED: {
    minimumVersion: 'oldest supported version',
    migrationGuide: 'address of the guide for moving to that version',
  },
  METHOD_NOT_ALLOWED: { allowed: 'methods of this path, same as `Allow`' },
  PRECONDITION_FAILED: { header: 'header whose condition does not hold' },
  INVALID_TRANSITION: {
    subject: 'resource with the status',
    from: 'current state',
    to: 'requested state',
    direction: 'forward or rollback',
  },
  ASSET_WINDOW_NOT_OPEN: window,
  ASSET_WINDOW_CLOSED: window,
  INVESTMENT_WINDOW_NOT_OPEN: window,
  INVESTMENT_WINDOW_CLOSED: window,
  ASSET_NOT_WHITELISTED: { policyId: 'policy that the vault does not accept' },
  ASSET_TYPE_NOT_ALLOWED: { type: 'type that the vault does not accept' },
  VALUATION_METHOD_NOT_ALLOWED: {
    method: 'method that the vault does not use for this asset',
    allowed: 'allowed methods',
  },
  MAX_ASSETS_REACHED: { maxAssets: 'maximum number of assets' },
  ASSETS_DO_NOT_FIT: {
    requested: 'number of requested assets',
    fitting: 'number of the first assets that fit into one transaction',
  },
  ASSET_ALREADY_IN_VAULT: asset,
  ASSET_NOT_IN_WALLET: {
    wallet: 'wallet without the asset, or `contractAddress` of the vault',
    unit: 'policy ID and asset name, in hex',
    required: 'required base units',
    available: 'free base units',
    stakedBaseUnits: 'base units that the wallet has staked and must unstake first (only for a claim)',
    heldBy,
  },
  UTXO_NOT_ON_LEDGER: inOutput,
  INVESTMENT_TOO_SMALL: { minimum: 'minimum in lovelace' },
  INSUFFICIENT_FUNDS: {
    wallet: 'wallet without enough ADA, or `contractAddress` of the vault',
    required: 'required lovelace',
    available: 'free lovelace',
    missingLovelace: 'missing lovelace',
    reason: 'reason why the free lovelace cannot be used',
    heldBy,
  },

  VAULT_NOT_LOCKED: { status: 'current status of the vault' },
  VAULT_ALREADY_ENDED: { status: 'current status of the vault' },
  VAULT_NOT_DELETABLE: {
    status: 'current status of the vault',
    blockedBy:
      'whatever the vault still holds, owes or waits for: deposits, stakes, proposals, transactions, ' +
      'unsolicited_outputs, quarantine, value_on_ledger (an output at one of its own addresses)',
  },
  CREATION_THRESHOLD_NOT_MET: {
    required: 'required percentage of the supply',
    staked: 'base units of the final stakes of the proposer',
    supply: 'base units of the whole supply, or of the circulating supply while holders claim',
  },
  ENDORSING_CLOSED: phase,
  ALREADY_ENDORSED: { wallet: 'wallet that has endorsed' },
  VOTING_NOT_OPEN: phase,
  VOTING_CLOSED: phase,
  VOTE_NONCE_USED: { voteId: 'vote with this nonce' },
  NOT_STAKED_AT_SNAPSHOT: {
    required: 'base units of the vote',
    votingStartedAt: 'stakes that were final before this time give voting power',
  },
  INSUFFICIENT_VOTING_POWER: { required: 'required base units', available: 'available base units' },
  PROPOSAL_NOT_CANCELLABLE: phase,
  EXECUTION_NOT_OPEN: phase,
  EXECUTION_CLOSED: phase,
  EXECUTION_UNDER_WAY: phase,
  EXECUTION_NOT_REPLACEABLE: {
    frozenBy: 'wallet that froze it',
    replaceableFrom: 'time from which another wallet can freeze an execution',
  },
  FROZEN_FOR_ANOTHER_ACTION: { transaction: toSign },
  ASSET_NO_LONGER_HELD: {
    assetIds: 'assets that the vault no longer holds',
    units: 'required units: policy IDs and asset names, in hex',
  },
  ASSET_NOT_STAKED: { assetIds: 'assets that are not at the staking address' },
  STAKING_ADDRESS_NOT_LISTED: { address: 'the requested address', listed: 'addresses where the vault may stake' },
  CUSTODY_IN_USE: { units: 'units that another execution uses: policy IDs and asset names, in hex' },
  WALLET_FUNDS_IN_USE: { wallet: 'owner of the funds', inputs: 'outputs in use, as `<hash>#<index>`' },
  PRICE_BELOW_VALUATION: { valuation: 'minimum price in lovelace, `null` if unknown', price: 'requested lovelace' },
  PRICE_ABOVE_VALUATION: { valuation: 'maximum price in lovelace, `null` if unknown', price: 'requested lovelace' },
  STAKE_LOCKED: { lockedUntil: 'latest time at which the stake becomes free' },
  ...claimErrorDetails,

  UNSOLICITED_OUTPUT_NOT_FOUND: inOutput,
  UNSOLICITED_OUTPUT_LEAVING: inOutput,
  UNSOLICITED_OUTPUT_GONE: inOutput,
  UNSOLICITED_OUTPUT_OF_OWNER: { ...inOutput, owner: 'wallet that it can return to' },
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: { ...inOutput, place: 'kind of address that holds the output' },

  TRANSACTION_EXPIRED: {
    expiresAt: 'time of expiry',
    reason: 'reason why it ended before that time, otherwise `null`',
  },
  TRANSACTION_NOT_WITHDRAWABLE: { kind: 'purpose of the transaction', status: 'current status' },
  TRANSACTION_NOT_JUSTIFIED: { reason: 'reason of the refusal' },
  OPERATOR_BUDGET_SPENT: { resumesAt: 'time from which the operator pays again' },
  SECURITY_CONSTRAINTS_NOT_MET: {
    rule: 'ledger rule that the transaction breaks. `LedgerFailure` for a rule without a name here.',
    reason: 'the same in words',
  },
  BODY_TOO_LARGE: {
    maxValues: 'maximum number of values in all lists and objects. Omitted if the body has too many bytes.',
    maxDepth: 'maximum nesting. Omitted if the body has too many bytes.',
  },
  RATE_LIMIT_EXCEEDED: {
    retryAfterSeconds: 'seconds to wait in real time, same as `Retry-After`',
    waitingFor:
      'the writes, or the requests of the caller, that must finish first. Omitted if the caller exceeded its own limit.',
  },
  FREE_ACTIONS_USED_UP: {
    wallet: 'wallet, or ID of the API key, that has to wait',
    action: 'kind of action: vote_change, endorsement, proposal, vault_change or vault_creation',
    limit: 'maximum number of these actions of a wallet within 24 hours',
    retryAfterSeconds: 'seconds until the next one is possible, same as `Retry-After`',
  },
  TOO_MANY_CONNECTIONS: { retryAfterSeconds: 'seconds to wait, same as `Retry-After`' },
  TOO_MANY_SUBSCRIPTIONS: { maximum: 'maximum number of subscriptions of a connection' },
  CLOCK_CANNOT_MOVE: { waitingFor: 'the work in progress' },
  LEDGER_SWITCH_REFUSED: { reason: 'why the ledger rejected it' },
  LEDGER_HISTORY_CHANGED: {
    tipHeight: 'height of the last recorded block',
    forkHeight: 'height of the last recorded block that the ledger has, `null` if it has none',
  },
  LEDGER_UNAVAILABLE: { reason: 'reason why the ledger cannot be used' },
  PRICE_UNAVAILABLE: { ...asset, asOf: 'time of the last price', source: 'source of the last price' },
  SERVICE_NOT_READY: {
    ...phase,
    waitingFor: 'part of the service that is not ready',
    checks: 'result of each check',
    operator: 'as in `details` of a process that is ready. Only for a key with the role ADMIN, as the next two.',
    anchors: 'the same',
    unreadable: 'names of details that could not be read',
    retryAfterSeconds: 'seconds to wait, same as `Retry-After`',
  },
};
