import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import { type ErrorCode, errorRegistry } from '../../domain/errors.ts';
import { permissionsOf, walletRoles } from '../../domain/identity/roles.ts';
import type { RouteLists } from './app.ts';
import { errorDetails } from './error-details.ts';
import { operationOf } from './openapi-operation.ts';
import type { Access } from './operation-errors.ts';

const prefixes: Readonly<Record<Access, string>> = { api: '/api/v1', dev: '/dev', open: '' };

const conventions = [
  'Every request under /api/v1 and /dev needs an API key in `X-API-Key`. A caller that acts for a wallet also needs a session of ' +
    'that wallet, or a key with permission wallet:UPDATE.',
  '`x-permission` is the permission that an operation requires of the key or of the session; `x-unrestricted` says why an operation ' +
    'requires none. Every session has the permissions of ' +
    '`x-session-permissions`; those marked `own` are limited to what belongs to its wallet.',
  'Times are ISO 8601 in UTC, by the clock of the service (in development the clock of `GET /dev/clock`). Times of nonces, sessions and ' +
    'errors are real time.',
  'Lovelace and base units are integers, written as text where a JSON number could lose digits. Percentages are numbers from 0 to 100 ' +
    'with at most two decimals.',
  'An error response has an error code in `error.code`, and in `error.details` the details that `x-error-codes` lists for the code; ' +
    '`errors` in the details lists the invalid fields of the request. Resources that the caller may not read return 404.',
  'The number of requests in a time window is limited for each API key, for all its wallets together: `RateLimit-Policy` returns the ' +
    'limit, `RateLimit` the remaining requests. Requests above the limit return 429 with `Retry-After`.',
  'New fields may be added to responses. A breaking change raises the major version in the path. Responses to a deprecated version carry ' +
    '`Deprecation: true`, `Sunset` (its end), `Link` with `rel="deprecation"` (the migration guide) and `Warning: 299`; after its end ' +
    'it returns 410. A version is announced as deprecated at least 180 days before its end, and supported for 365 days after the ' +
    'release of its successor.',
].join(' ');

/** The OpenAPI 3.1 document of all routes. */
export function openApiDocument<Context>(routes: RouteLists<Context>, version: string) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const access of Object.keys(prefixes) as Access[]) {
    for (const route of routes[access]) {
      const path = prefixes[access] + route.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method]: operationOf(route, access) };
    }
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Vault Tokenization Service', version, description: conventions },
      servers: [{ url: '/' }],
      paths,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          session: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token that `POST /api/v1/auth/sessions` returns',
          },
        },
      },
      'x-error-codes': describedErrors(),
      'x-session-permissions': permissionsOf(walletRoles),
    },
    { override: simplifySchema },
  );
}

function describedErrors() {
  const described = Object.entries(errorRegistry).map(([code, error]) => {
    const details = errorDetails[code as ErrorCode];
    return [code, { ...error, ...(details && { details }) }] as const;
  });
  return Object.fromEntries(described);
}

/**
 * Removes what the document need not say. Responses may get new fields in a minor version, so they do not forbid
 * additional ones; a schema of both requests and responses then becomes one component.
 */
function simplifySchema({ jsonSchema, io }: { jsonSchema: Record<string, unknown>; io: 'input' | 'output' }): void {
  if (io === 'output') delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time' || jsonSchema['format'] === 'uuid') delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}
