import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, errorRegistry } from '../../domain/errors.ts';
import { permissionsOf, walletRoles } from '../../domain/identity/permission.ts';
import { RefusalCode } from './enums.ts';
import type { RouteLists } from './app.ts';
import { errorDetails } from './error-details.ts';
import { Timestamp } from './fields.ts';
import { honoursIdempotencyKey, type Route } from './route.ts';

type Access = keyof RouteLists<never>;

const prefixes: Readonly<Record<Access, string>> = { api: '/api/v1', dev: '/dev', open: '' };

const FieldProblem = z
  .object({
    code: z.string().describe('For programs: one of `x-error-codes`, or what is wrong with the field, as REQUIRED'),
    message: z.string().describe('For people'),
    field: z
      .string()
      .describe('Where it stands, as `proposal_details.affected_assets.0.asset_name`; `body` for all of it'),
  })
  .meta({ id: 'FieldProblem' });

const Details = z.looseObject({
  errors: z.array(FieldProblem).describe('Every field of the request that is wrong, where fields are').optional(),
});

/** The spec's error body ("Errors" 2 and 3). */
export const ErrorBody = z
  .object({
    status: z.literal('error'),
    error: z.object({
      type: z.string().describe('Kind of `code`'),
      code: RefusalCode,
      message: z.string().describe('For people'),
      details: Details.describe(
        'What `x-error-codes` says of the code; absent when there is nothing to add',
      ).optional(),
      correlationId: z.string().describe('As in `X-Correlation-Id`; the logs have it'),
      timestamp: Timestamp.describe('Real time, as in the logs'),
    }),
  })
  .meta({
    id: 'Error',
    examples: [
      {
        status: 'error',
        error: {
          type: 'BUSINESS_LOGIC_ERROR',
          code: 'INSUFFICIENT_VOTING_POWER',
          message: 'The wallet does not have this much voting power',
          details: { required: '999999000000', available: '271428571429' },
          correlationId: '01a1ffab-bb4c-7c2b-831a-36b802470d2f',
          timestamp: '2026-11-21T19:53:27.166Z',
        },
      },
    ],
  });

/** The same failure by RFC 9457. */
export const Problem = Details.extend({
  type: z.string().describe('`urn:vts:error:` and the code'),
  title: z.string().describe('For people'),
  status: z.int().describe('Of HTTP'),
  code: RefusalCode,
  correlationId: z.string().describe('As in `X-Correlation-Id`; the logs have it'),
  timestamp: Timestamp.describe('Real time, as in the logs'),
}).meta({ id: 'Problem' });

/** Every code an operation can answer with: its own and those of the steps before it. */
export function errorsOf(route: Route<never>, access: Access): ErrorCode[] {
  const { permission, rateLimited, errors } = route;
  const codes: ErrorCode[] = [...errors, route.invalidCode ?? 'INVALID_REQUEST', 'SYSTEM_ERROR'];
  if (access !== 'open') codes.push('API_KEY_REQUIRED', 'INVALID_API_KEY', 'INVALID_SESSION');
  if (access !== 'open') codes.push('MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (permission) codes.push('INSUFFICIENT_PERMISSIONS');
  if (rateLimited !== false) codes.push('RATE_LIMIT_EXCEEDED');
  if (honoursIdempotencyKey(route)) codes.push('INVALID_REQUEST', 'IDEMPOTENCY_KEY_REUSED');
  return [...new Set(codes)];
}

const conventions = [
  'Every call under /api/v1 and /dev carries an API key in `X-API-Key`; whoever acts for a wallet proves it by its session, or has a ' +
    'key with permission wallet:UPDATE.',
  '`x-permission` is what an operation asks of the key or of the session: every session has `x-session-permissions`, those with `own` ' +
    'for what is its wallet’s own.',
  'Times are ISO 8601 in UTC by the clock of the service (in development that of `GET /dev/clock`); those of nonces, sessions and ' +
    'refusals are real time.',
  'Lovelace and base units are whole numbers, as text where a JSON number could lose digits. Percentages are numbers from 0 to 100 with ' +
    'two decimals.',
  'A refusal carries `error.code`, and in `error.details` what was missing, by `x-error-codes`; `errors` there names the fields of the ' +
    'request. What is kept from a caller is answered as what is not there.',
  'An API key has so many requests in a window, all its wallets together: `RateLimit-Policy` says how many, `RateLimit` what is left; ' +
    'beyond that 429 with `Retry-After`.',
  'New fields may be added to answers.',
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
          session: { type: 'http', scheme: 'bearer', description: 'The token of `POST /api/v1/auth/sessions`' },
        },
      },
      'x-error-codes': describedErrors(),
      'x-session-permissions': permissionsOf(walletRoles),
    },
    { override: keepOneComponent },
  );
}

function describedErrors() {
  const described = Object.entries(errorRegistry).map(([code, error]) => {
    const details = errorDetails[code as ErrorCode];
    return [code, { ...error, ...(details && { details }) }] as const;
  });
  return Object.fromEntries(described);
}

function operationOf(route: Route<never>, access: Access): ZodOpenApiOperationObject {
  const { operationId, summary, description, params, query, permission } = route;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    security: access === 'open' ? [] : [{ apiKey: [] }, { apiKey: [], session: [] }],
    ...(permission && { 'x-permission': permission }),
    requestParams: {
      path: objectOf(params),
      query: objectOf(query),
      header: honoursIdempotencyKey(route) ? keyed : header,
    },
    ...requestBodyOf(route),
    responses: responsesOf(route, access),
  };
}

const header = z.object({
  'X-Correlation-Id': z.string().max(64).describe('Names the request in answers and logs').optional(),
});

const keyed = header.extend({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .describe('A success under this key is answered again to the same request, and nothing is done twice')
    .optional(),
});

function requestBodyOf({ body, examples }: Route<never>): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (!body) return {};
  const shown = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }] as const);
  const json = { schema: body, ...(shown.length > 0 && { examples: Object.fromEntries(shown) }) };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

function responsesOf(route: Route<never>, access: Access): ZodOpenApiResponsesObject {
  const answers = Object.entries(route.responses).map(([status, schema]) => {
    const description = route.answers ?? route.summary;
    return [status, { description, ...(schema && { content: { 'application/json': { schema } } }) }];
  });
  const codesByStatus = Object.groupBy(errorsOf(route, access), (code) => errorRegistry[code].status);
  const refusals = Object.entries(codesByStatus).map(([status, codes = []]) => {
    const description = codes.map((code) => `${code}: ${errorRegistry[code].message}`).join('. ');
    const content = { 'application/json': { schema: ErrorBody }, 'application/problem+json': { schema: Problem } };
    return [status, { description, content, 'x-codes': codes }];
  });
  return Object.fromEntries([...answers, ...refusals]) as ZodOpenApiResponsesObject;
}

function objectOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new TypeError('parameters of a route are described by an object schema');
}

/** Open answers, so that a minor version may add fields, one component for a schema used in both directions, and nothing said twice. */
function keepOneComponent({ jsonSchema, io }: { jsonSchema: Record<string, unknown>; io: 'input' | 'output' }): void {
  if (io === 'output') delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time' || jsonSchema['format'] === 'uuid') delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}
