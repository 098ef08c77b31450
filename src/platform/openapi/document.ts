import { createDocument, type CreateDocumentOptions, type ZodOpenApiOperationObject } from 'zod-openapi';
import { permissionsOf, walletRoles } from '../../access/rules.ts';
import { errorRegistry, developmentErrors } from '../error-registry.ts';
import type { RouteLists } from '../http/app.ts';
import { omitDevelopmentCodes } from '../http/fields.ts';
import { type Access, operationOf, describeParameters } from './operation.ts';

type Overridden = Parameters<Extract<CreateDocumentOptions['override'], (...input: never[]) => void>>[0];

const prefixes: Readonly<Record<Access, string>> = { api: '/api/v1', dev: '/dev', open: '' };

/** The OpenAPI 3.1 document of all routes. What exists only in development is in it only if there are routes under /dev. */
export function openApiDocument<Context>(
  routes: RouteLists<Context>,
  version: string,
): ReturnType<typeof createDocument> {
  const hasDevelopment = routes.dev.length > 0;
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const access of Object.keys(prefixes) as Access[]) {
    for (const route of routes[access]) {
      const path = prefixes[access] + route.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = {
        ...paths[path],
        [route.method]: { tags: [tagOf(path)], ...operationOf(route, access, routes.api) },
      };
    }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Vault Tokenization Service',
        version,
        description: introduction + (hasDevelopment ? developmentIntroduction : ''),
      },
      servers: [{ url: '/' }],
      tags: tagsOf(Object.keys(paths)),
      paths,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          session: {
            type: 'http',
            scheme: 'bearer',
            description: 'Token that `POST /api/v1/auth/sessions` returns',
          },
        },
      },
      'x-error-codes': describedErrors(hasDevelopment),
      'x-session-permissions': permissionsOf(walletRoles),
    },
    {
      override: (schema) => {
        simplifySchema(schema, hasDevelopment);
      },
    },
  );
  return { ...document, paths: describeParameters(document.paths ?? {}) };
}

function describedErrors(hasDevelopment: boolean) {
  const codes = Object.entries(errorRegistry).filter(([code]) => hasDevelopment || !(code in developmentErrors));
  return Object.fromEntries(codes);
}

/**
 * Removes what the document need not say. Responses may get new fields in a minor version, so they do not forbid
 * additional ones; a schema of both requests and responses then becomes one component.
 */
function simplifySchema({ zodSchema, jsonSchema, io }: Overridden, hasDevelopment: boolean): void {
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time' || jsonSchema['format'] === 'uuid') delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (!hasDevelopment) omitDevelopmentCodes(zodSchema, jsonSchema);
}

/** Introduces the API to the reader of the OpenAPI document. */
export const introduction = `Run tokenized vaults on Cardano: create a vault, deposit assets, invest ADA, vote, and claim a share.

## Get started

1. **Log in.** Call \`createNonce\`, let the wallet sign \`<nonce>:<timestamp>\` (CIP-30 \`signData\`), then call \`createSession\`.
2. **Find or create a vault** with \`listVaults\` or \`createVault\`.
3. **Deposit or invest** with \`addAsset\` or \`invest\`. Both return an unsigned transaction.
4. **Sign.** Let the wallet sign it (CIP-30 \`signTx\`, partial), and send the result to \`addWitnesses\`.
5. **Follow** the vault with \`listEvents\` ([all events](/docs/events)). When it is \`LOCKED\`, \`listEntitlements\` shows who gets which tokens.
6. **Govern.** \`stake\`, \`createProposal\`, \`castVote\`. After the proposal's lock phase, \`executeProposal\` carries out what was approved.
7. **Claim.** When the vault ends, \`unstake\`, then \`claim\` your share.

If a wallet has a single UTxO, wait until its transaction is in a block before you request the next one.

## Authentication

Send an API key as \`X-API-Key\` with every request. To act for a wallet, also send its session as \`Authorization: Bearer <token>\`.
Without a session, the key needs the permission \`wallet:UPDATE\`, and the request must name the wallet.
\`x-permission\` shows which permission an operation needs. \`x-session-permissions\` lists what every session may do.
For visitors who have not logged in, create a key with read permissions (see \`createApiKey\`).

## Conventions

- **Envelope**: most operations return \`{status, data, metadata}\`. Some older operations have other shapes. Each schema shows its own.
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

type Group = readonly [name: string, description: string, pattern: RegExp];

/** The groups of operations in the order in which `/docs` shows them; an operation belongs to the first whose pattern its path has. */
const groups: readonly Group[] = [
  ['Login', 'Log in with a wallet and manage its sessions', /^\/api\/v1\/auth\//],
  ['Events', 'Follow changes in real time', /^\/api\/v1\/events/],
  [
    'Vaults',
    'Create, find and manage vaults and their types',
    /\/vaults(\/[^/]+(\/(metrics|activity|allowlist|cancel|admin-email))?)?$|-types\b/,
  ],
  ['Assets', 'Deposit and value assets', /\/(assets|deposits|valuation)\b/],
  ['Investments', 'Invest ADA, and see what each deposit gets', /\/(investments|quote|entitlements)\b/],
  ['Governance', 'Stake, propose, vote and execute', /\/(stakes|proposals|votes|voting-power)\b/],
  ['Claims', 'Claim a share of a vault that ends', /\/claims\b/],
  [
    'Custody',
    "Balances and movements of a vault's addresses",
    /\/(rotations|unsolicited|statement|remains|reconciliations)\b/,
  ],
  ['Transactions', 'Sign transactions, follow them to finality, and verify proofs', /\/(transactions|anchors)\b/],
  ['Development', 'Only with `npm start`: wallets, faucet, clock, prices, faults', /^\/dev\//],
  ['Service', 'API keys, roles, versions, feature flags, health', /^\//],
];

/** The group of an operation. */
function tagOf(path: string): string {
  return groups.find(([, , pattern]) => pattern.test(path))?.[0] ?? '';
}

/** The groups that operations at these paths belong to. */
function tagsOf(paths: readonly string[]) {
  const used = new Set(paths.map(tagOf));
  return groups.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }));
}
