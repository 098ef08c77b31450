import type { ErrorCode } from '../../domain/errors.ts';

const window = { startsAt: 'when the window opens', endsAt: 'when it closes' };
const phase = { phase: 'the phase the proposal is in', phaseEndsAt: 'when that ends; null when it has ended' };
const heldBy =
  'transactions in no block yet that hold what the wallet has: {transactionHash, status, expiresAt}; what one of them leaves can be ' +
  'spent once it is in a block, and what one holds that is not signed is free when it is withdrawn';
const inOutput = { output: 'the output as `<hash>#<index>`' };
const asset = { policyId: 'policy id', assetName: 'its name in hex' };
const toSign =
  '{tx_hash, status, block_height, unsigned_tx, expires_at, required_signers}: what has to be signed, and until when';

/**
 * What `details` of a refusal may say beside `errors`, by code; published with the registry. Each stands there only where it is
 * known.
 */
export const errorDetails: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  INVALID_SIGNATURE: { keyHash: 'whose signature it was to be', hash: 'what it was to sign' },
  WITNESS_FOR_ANOTHER_TRANSACTION: { signed: 'the hash of the transaction it signs' },
  WITNESS_NOT_REQUIRED: { keyHash: 'whose signature it is', requiredSigners: 'key hashes that have to sign' },

  API_KEY_REQUIRED: { header: 'the header that is missing' },
  INVALID_API_KEY: { header: 'the header that is refused' },
  INVALID_SESSION: { header: 'the header that is refused: log in again, or leave it out' },
  SESSION_REQUIRED: { header: 'the header that is missing', value: 'what it holds' },
  INVALID_LOGIN_SIGNATURE: {
    reason: 'what is wrong with it, as malformed, other_address, other_key, other_payload, forged',
  },
  INSUFFICIENT_PERMISSIONS: {
    required: 'the permission, or the session, that would do',
    heldOnlyWhere: 'under which conditions the caller has the permission',
  },
  INSUFFICIENT_SIGNATURES: {
    required: 'how many have to sign',
    present: 'how many have',
    missing: 'how many have not',
    missingSigners: 'their wallets',
    transaction: toSign,
  },
  EXECUTOR_NOT_ELIGIBLE: { wallet: 'the wallet that may not' },
  COSIGNER_NOT_ELIGIBLE: { wallets: 'the wallets that may not', required: 'what they lack' },

  INVALID_TRANSITION: {
    subject: 'what cannot change so',
    from: 'the state it is in',
    to: 'the state it was to get into',
    direction: 'forward, or rollback',
  },
  ASSET_WINDOW_NOT_OPEN: window,
  ASSET_WINDOW_CLOSED: window,
  INVESTMENT_WINDOW_NOT_OPEN: window,
  INVESTMENT_WINDOW_CLOSED: window,
  ASSET_NOT_WHITELISTED: { policyId: 'the policy that is not taken' },
  ASSET_TYPE_NOT_ALLOWED: { type: 'the type that is not taken' },
  MAX_ASSETS_REACHED: { maxAssets: 'how many it takes' },
  ASSET_ALREADY_IN_VAULT: asset,
  ASSET_NOT_IN_WALLET: {
    wallet: 'the wallet that lacks it, or `contractAddress` of the vault',
    unit: 'policy id and name, in hex',
    required: 'base units that are needed',
    available: 'base units that are free',
    heldBy,
  },
  INVESTMENT_TOO_SMALL: { minimum: 'lovelace that are enough' },
  INSUFFICIENT_FUNDS: {
    wallet: 'the wallet that lacks them, or `contractAddress` of the vault',
    required: 'lovelace that are needed',
    available: 'lovelace that are free',
    missingLovelace: 'lovelace that are missing',
    reason: 'why what there is does not do',
    heldBy,
  },

  VAULT_NOT_LOCKED: { status: 'the status the vault is in' },
  VAULT_ALREADY_ENDED: { status: 'the status the vault is in' },
  CREATION_THRESHOLD_NOT_MET: {
    required: 'the share of the supply that is needed, in percent',
    staked: "base units of the proposer's stakes that are final",
    supply: 'base units that there are',
  },
  ENDORSING_CLOSED: phase,
  ALREADY_ENDORSED: { wallet: 'the wallet that has' },
  VOTING_NOT_OPEN: phase,
  VOTING_CLOSED: phase,
  VOTE_NONCE_USED: { voteId: 'the vote that used it' },
  NOT_STAKED_AT_SNAPSHOT: {
    required: 'base units of the vote',
    votingStartedAt: 'stakes that were final before count',
  },
  INSUFFICIENT_VOTING_POWER: { required: 'base units that are needed', available: 'base units that there are' },
  PROPOSAL_NOT_CANCELLABLE: phase,
  EXECUTION_NOT_OPEN: phase,
  EXECUTION_CLOSED: phase,
  EXECUTION_UNDER_WAY: phase,
  FROZEN_FOR_ANOTHER_ACTION: { transaction: toSign },
  ASSET_NO_LONGER_HELD: { assetIds: 'the assets that left', units: 'policy ids and names, in hex, of what is sought' },
  ASSET_NOT_STAKED: { assetIds: 'the assets that are elsewhere' },
  STAKING_ADDRESS_NOT_LISTED: { address: 'the address that was named', listed: 'those the vault may stake at' },
  CUSTODY_IN_USE: { units: 'policy ids and names, in hex, of what is held' },
  WALLET_FUNDS_IN_USE: { wallet: 'whose they are', inputs: 'the outputs that are held, as `<hash>#<index>`' },
  PRICE_BELOW_VALUATION: {
    valuation: 'lovelace it must bring; null when not known',
    price: 'lovelace that were named',
  },
  PRICE_ABOVE_VALUATION: { valuation: 'lovelace it may cost; null when not known', price: 'lovelace that were named' },
  STAKE_LOCKED: { lockedUntil: 'when it is free at the latest' },

  UNSOLICITED_OUTPUT_NOT_FOUND: inOutput,
  UNSOLICITED_OUTPUT_LEAVING: inOutput,
  UNSOLICITED_OUTPUT_GONE: inOutput,
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: { ...inOutput, place: 'where it lies' },

  TRANSACTION_EXPIRED: { expiresAt: 'when it did', reason: 'why it ended before; null when it was just too late' },
  TRANSACTION_NOT_WITHDRAWABLE: { kind: 'what the transaction is for', status: 'the status it is in' },
  SECURITY_CONSTRAINTS_NOT_MET: { rule: 'the rule of the ledger it breaks', reason: 'in which way' },
  RATE_LIMIT_EXCEEDED: { retryAfterSeconds: 'how long to wait in real time, as `Retry-After` says' },
  CLOCK_CANNOT_MOVE: { waitingFor: 'what is still under way' },
  LEDGER_SWITCH_REFUSED: { reason: 'why' },
  LEDGER_UNAVAILABLE: {
    call: 'what the ledger was asked for',
    status: 'of HTTP',
    reason: 'why its answer is of no use',
  },
  PRICE_UNAVAILABLE: { ...asset, asOf: 'of when the last price is', source: 'where it is from' },
  SERVICE_NOT_READY: { waitingFor: 'what is not ready', checks: 'what is and what is not' },
};
