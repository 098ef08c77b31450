/** What all operations have in common, for the reader of the OpenAPI document. */
export const conventions = [
  'How a page gets from login to the result of a vote, and to a share of a vault that ends: `createNonce`, the signature of the wallet and `createSession` log it in. ' +
    '`createVault` or `listVaults` has the vault; `listEvents` follows it. `addAsset` and `invest` return a transaction: the wallet signs it ' +
    '(CIP-30 signTx, partial), and `addWitnesses` sends it. A wallet with one UTxO can make its next transaction when this one is in a block ' +
    '(event TRANSACTION_STATUS_CHANGED). After VAULT_STATUS_CHANGED to LOCKED, `listEntitlements` has the tokens that a wallet got, and `stake` ' +
    'stakes them; after STAKE_FINAL, `createProposal` proposes; while the `status` of PROPOSAL_CREATED or PROPOSAL_STATUS_CHANGED is ACTIVE, ' +
    '`castVote` votes. PROPOSAL_STATUS_CHANGED to PASSED or FAILED ends the vote, and `readProposal` has the result. After ' +
    'the lock phase `executeProposal` executes what has passed; while signatures are missing, it returns 403 with the transaction that is to be signed. ' +
    'After CLAIMS_OPENED, `unstake` returns to a wallet what it has staked, and `claim` pays its share. In development ' +
    '`devMakeWallet`, `devFaucet`, `devSignData`, `devSignTransaction` and `devAdvanceClock` stand for wallet, funds and time; they need the ADMIN key.',
  'Every request under /api/v1 and /dev needs an API key in `X-API-Key`. A caller that acts for a wallet also needs a session of ' +
    'that wallet, or a key with permission wallet:UPDATE.',
  '`x-permission` is the permission that an operation requires of the key or of the session; `x-unrestricted` says why an operation ' +
    'requires none. What visitors without a session may read is given to the key (an example of `createApiKey`). Every session has the permissions of ' +
    '`x-session-permissions`; those marked `own` are limited to what belongs to its wallet.',
  'Times are ISO 8601 in UTC, by the clock of the service (in development the clock of `GET /dev/clock`). Times of nonces, sessions and ' +
    'errors are real time.',
  'Changes come as events, described at [/docs/events](/docs/events), so that no read has to be repeated. Pages of other origins may call the service ' +
    'if it lists their origin in CORS_ORIGINS.',
  'Addresses are bech32, as `addr1…`; CIP-30 wallets return theirs in hex, which has to be converted.',
  'Lovelace and base units are integers, written as text where a JSON number could lose digits. Percentages are numbers from 0 to 100 ' +
    'with at most two decimals.',
  'A field without a value is `null`. Absent are only: fields that the specification calls optional, the fields of `transaction` that ' +
    'only signing or anchoring needs, what the request did not ask for, and what the caller may not read.',
  'An error response has an error code in `error.code`, and in `error.details` the details that `x-error-codes` lists for the code; ' +
    '`errors` in the details lists the invalid fields of the request. Resources that the caller may not read return 404. SERVICE_NOT_READY is 503, but 500 where the specification describes the operation, ' +
    'because the specification has no 503.',
  'The requests of an API key in a time window are limited, for all its visitors together: 100 in 15 minutes, 1,000 for ADMIN, unless ' +
    'the key has its own `rateLimit` or the deployment sets others. When they are used up, a visitor (a wallet, or an IP address ' +
    'without one) who has sent at most a tenth of the limit is still served, until such requests, together, are half of it. Opening a ' +
    'stream or a socket counts as one request. `RateLimit-Policy` returns the limit, `RateLimit` what remains of it. Requests above ' +
    'the limit return 429 with `Retry-After`.',
  'New fields may be added to responses. A breaking change raises the major version in the path. Responses to a deprecated version carry ' +
    '`Deprecation: true`, `Sunset` (its end), `Link` with `rel="deprecation"` (the migration guide) and `Warning: 299`; after its end ' +
    'it returns 410. A version is announced as deprecated at least 180 days before its end, and supported for 365 days after the ' +
    'release of its successor.',
].join('\n\n');
