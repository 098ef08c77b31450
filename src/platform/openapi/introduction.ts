/** Introduces the API to the reader of the OpenAPI document. */
export const introduction = `Run tokenized vaults on Cardano: create a vault, deposit assets, invest ADA, vote, and claim a share.

## Get started

1. **Log in.** Call \`createNonce\`, let the wallet sign \`<nonce>:<timestamp>\` (CIP-30 \`signData\`), then call \`createSession\`.
2. **Find or create a vault** with \`listVaults\` or \`createVault\`.
3. **Deposit or invest** with \`addAsset\` or \`invest\`. Both return an unsigned transaction.
4. **Sign.** Let the wallet sign it (CIP-30 \`signTx\`, partial), and send the result to \`addWitnesses\`.
5. **Follow** the vault with \`listEvents\` ([all events](/docs/events)). When it is \`LOCKED\`, \`listEntitlements\` shows who gets which tokens.
6. **Govern.** \`stake\`, \`createProposal\`, \`castVote\`. After the lock phase, \`executeProposal\` carries out what was approved.
7. **Claim.** When the vault ends, \`unstake\`, then \`claim\` your share.

A wallet with a single UTxO must wait until its transaction is in a block before it makes the next one.

## Authentication

Send an API key as \`X-API-Key\` with every request. To act for a wallet, also send its session as \`Authorization: Bearer <token>\`.
Without a session, the key needs the permission \`wallet:UPDATE\`, and the request must name the wallet.
\`x-permission\` shows which permission an operation needs. \`x-session-permissions\` lists what every session may do.
For visitors who have not logged in, create a key with read permissions (see \`createApiKey\`).

## Conventions

- **Envelope**: most operations return \`{status, data, metadata}\`. Operations from the interface specification keep its field names and shape; see each schema.
- **Addresses** are bech32 (\`addr1…\`). CIP-30 wallets return hex, so convert them.
- **Lovelace and base units** are integers, sent as text where a number could lose digits. Percentages are 0 to 100, with up to two decimals.
- **Times** are ISO 8601 in UTC.
- **Missing values** are \`null\`. A field is left out only if it is optional, not requested, or hidden from you.
- **Retries**: send an \`Idempotency-Key\` with a POST to make it safe to repeat.
- **CORS**: the operator lists allowed origins in \`CORS_ORIGINS\`.

## Errors

Every error has the same shape. \`error.code\` identifies it, \`error.details\` explains it, and \`details.errors\` lists each invalid field.
\`x-error-codes\` lists every code, its HTTP status, and whether a retry can help. You get 404 for resources that you may not read.

## Rate limits

Each API key has 100 requests per 15 minutes (ADMIN: 1,000) unless the operator changes this. The limit is shared by all users of the key, but every user
keeps a small reserve. \`RateLimit\` shows what is left. Above the limit you get 429 with \`Retry-After\`.

## Versions

We may add response fields, enum values and event types at any time: ignore what you do not know. Breaking changes get a new major version in the path.
A version is supported for 365 days after its successor, and its deprecation is announced at least 180 days before it ends (headers \`Deprecation\`, \`Sunset\`).
`;

/** Follows the introduction where the operations under /dev exist. */
export const developmentIntroduction = `
## Development

Use the \`dev…\` operations with the ADMIN key: \`devMakeWallet\` and \`devFaucet\` create a funded wallet, \`devSignData\` and \`devSignTransaction\` sign for it, and
\`devAdvanceClock\` moves time forward. All times follow that clock, except those of nonces, sessions, rate limits and errors.
`;
