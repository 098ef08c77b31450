import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject, createDocument } from 'zod-openapi';
import { errorRegistry, type ErrorCode } from '../error-registry.ts';
import type { RouteLists } from '../http/app.ts';
import type { PublishedRule, Route } from '../http/route.ts';
import { acceptsIdempotencyKey, routeKinds } from '../http/route-kinds.ts';
import { ErrorBody, Problem } from '../http/error-schemas.ts';
import { statusOf } from '../http/error-handler.ts';
import { linksOf } from './links.ts';

/** The operation of the OpenAPI document that describes a route; `routes` are those that can follow it. */
export function operationOf(
  route: Route<never>,
  access: Access,
  routes: readonly Route<never>[],
): ZodOpenApiOperationObject {
  const { operationId, summary, description, params, query, permission } = route;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    security: access === 'open' ? [] : [{ apiKey: [] }, { apiKey: [], session: [] }],
    ...publishedPermission(permission),
    requestParams: {
      path: objectOf(params),
      query: objectOf(query),
      header: headersOf(route),
    },
    ...requestBodyOf(route),
    responses: responsesOf(route, access, linksOf(route, routes)),
  };
}

function publishedPermission(rule: PublishedRule) {
  if ('unrestricted' in rule) return { 'x-unrestricted': rule.unrestricted };
  return { 'x-permission': { resource: rule.resource, action: rule.action } };
}

function requestBodyOf({ body, examples }: Route<never>): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (!body) return {};
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }] as const);
  const json = { schema: body, ...(named.length > 0 && { examples: Object.fromEntries(named) }) };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

function responsesOf(
  route: Route<never>,
  access: Access,
  links: ReturnType<typeof linksOf>,
): ZodOpenApiResponsesObject {
  const headers = responseHeadersOf(route);
  const successes = Object.entries(route.responses).map(([status, schema]) => {
    const description = route.success ?? subjectOf(route.summary);
    const stream = route.stream && { 'text/event-stream': { schema: route.stream.event } };
    const body = schema && { content: { 'application/json': { schema }, ...stream } };
    return [status, { description, headers, ...body, ...(Object.keys(links).length > 0 && { links }) }];
  });
  if (route.method === 'get' && route.responses[200])
    successes.push(['304', { description: 'Nothing has changed since the response with this `ETag`', headers }]);
  const codesByStatus = Object.groupBy(errorsOf(route, access), (code) => statusOf(code, route.specified === true));
  const errors = Object.entries(codesByStatus).map(([status, codes = []]) => {
    const description = codes.map((code) => `- \`${code}\`: ${errorRegistry[code].message}`).join('\n');
    const content = { 'application/json': { schema: ErrorBody }, 'application/problem+json': { schema: Problem } };
    return [status, { description, headers: errorHeadersOf(route, codes), content, 'x-codes': codes }];
  });
  return Object.fromEntries([...successes, ...errors]) as ZodOpenApiResponsesObject;
}

/** `Get an asset` returns `An asset`. */
function subjectOf(summary: string): string {
  const subject = summary.replace(/^(Get|List|Quote) /, '');
  return subject.charAt(0).toUpperCase() + subject.slice(1);
}

function objectOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new TypeError('the parameters of a route need an object schema');
}

/** The path prefix under which a route is reachable. */
export type Access = keyof RouteLists<never>;

/** All error codes of an operation: its own and those of the steps before it. */
function errorsOf(route: Route<never>, access: Access): ErrorCode[] {
  const { permission, kind, errors } = route;
  const { rateLimit } = routeKinds[kind];
  const codes: ErrorCode[] = [...errors, route.invalidCode ?? 'INVALID_REQUEST', 'SYSTEM_ERROR'];
  if (rateLimit === 'shared') codes.push('SERVICE_NOT_READY');
  if (access !== 'open') codes.push('API_KEY_REQUIRED', 'INVALID_API_KEY', 'INVALID_SESSION');
  if (access !== 'open') codes.push('MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (access === 'api') codes.push('VERSION_ENDED');
  if (!('unrestricted' in permission)) codes.push('INSUFFICIENT_PERMISSIONS');
  if (rateLimit !== 'none') codes.push('RATE_LIMIT_EXCEEDED');
  if (route.conditional) codes.push('PRECONDITION_FAILED');
  if (acceptsIdempotencyKey(route)) codes.push('INVALID_REQUEST', 'IDEMPOTENCY_KEY_REUSED');
  return [...new Set(codes)];
}

type Paths = NonNullable<ReturnType<typeof createDocument>['paths']>;
type Operation = NonNullable<Paths[string]['get']>;
type Parameter = NonNullable<Operation['parameters']>[number];

/** Describes the parameters that name a resource in a path: their schemas are those of any id. */
const pathTexts: Readonly<Record<string, string>> = {
  address: 'Address of the wallet, in bech32.',
  assetId: 'ID of the asset.',
  claimId: 'ID of the claim.',
  factId: 'ID of the anchored fact, as in the `proof` link of a response.',
  hash: 'Hash of the transaction, in hex.',
  investmentId: 'ID of the investment.',
  keyId: 'ID of the API key. It is not the key itself.',
  proposalId: 'ID of the proposal.',
  reconciliationId: 'ID of the reconciliation.',
  rotationId: 'ID of the rotation.',
  sessionId: 'ID of the session. It is not the token.',
  stakeId: 'ID of the stake.',
  vaultId: 'ID of the vault.',
  voteId: 'ID of the vote.',
};

/**
 * Moves the description of each parameter out of its schema, where viewers do not look for it: a schema with a default or a
 * transformation keeps its description inside.
 */
export function describeParameters(paths: Paths): Paths {
  return mapValues(paths, (path) => mapValues(path as Readonly<Record<string, Operation>>, describeOperation));
}

function describeOperation(operation: Operation): Operation {
  const { parameters = [] } = operation;
  return { ...operation, ...(parameters.length > 0 && { parameters: parameters.map(describe) }) };
}

function describe(parameter: Parameter): Parameter {
  if (!('name' in parameter)) return parameter;
  const { description: inside, ...schema } = parameter.schema as { readonly description?: string };
  const description = parameter.description ?? inside ?? pathTexts[parameter.name];
  return { ...parameter, schema, ...(description !== undefined && { description }) };
}

function mapValues<Value, Mapped>(object: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

const requestHeaders = {
  'X-Correlation-Id': z
    .string()
    .describe(
      'Your ID for this request, returned in the response and written to the logs. 1 to 64 letters, digits, dots, hyphens or ' +
        'underscores. If it is missing or invalid, the service generates one.',
    )
    .optional(),
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .describe(
      'Makes the request safe to retry. Within 24 hours, a repeated request with the same key returns the first successful ' +
        'response and changes nothing.',
    )
    .optional(),
  'If-None-Match': z
    .string()
    .describe('`ETag` of an earlier response. Returns 304 if nothing has changed since.')
    .optional(),
  'If-Match': z
    .string()
    .describe(
      '`ETag` of a GET request of the resource, sent without a query. If the resource has changed since, the ' +
        'request fails and changes nothing.',
    )
    .optional(),
  'Last-Event-ID': z
    .string()
    .describe('For a stream: the `id` of the last message that you have. It takes precedence over `after`.')
    .optional(),
};

/** The headers that a request may carry. */
function headersOf(route: Route<never>): z.ZodObject {
  const { 'X-Correlation-Id': correlationId, ...optional } = requestHeaders;
  return z.object({
    'X-Correlation-Id': correlationId,
    ...(acceptsIdempotencyKey(route) && { 'Idempotency-Key': optional['Idempotency-Key'] }),
    ...(route.method === 'get' && { 'If-None-Match': optional['If-None-Match'] }),
    ...(route.conditional === true && { 'If-Match': optional['If-Match'] }),
    ...(route.stream && { 'Last-Event-ID': optional['Last-Event-ID'] }),
  });
}

const text = z.string();
/** A header that many responses have: one component of the document. */
const shared = <Schema extends z.ZodType>(schema: Schema, id: string, description: string) =>
  schema.meta({ description, header: { id } });

const responseHeaders = {
  'X-Correlation-Id': shared(text, 'CorrelationId', 'ID of the request in the logs'),
  RateLimit: shared(
    text.optional(),
    'RateLimit',
    'Remaining requests (`r`), and seconds until the window ends (`t`). Omitted while requests cannot be counted.',
  ),
  'RateLimit-Policy': shared(
    text.optional(),
    'RateLimitPolicy',
    'Maximum number of requests (`q`) in a window of `w` seconds. Omitted while requests cannot be counted.',
  ),
  ETag: shared(text, 'EntityTag', 'Version of the resource. Send it as `If-None-Match` or `If-Match`.'),
  'Idempotency-Replayed': shared(
    text.optional(),
    'IdempotencyReplayed',
    '`true`: this is the response of an earlier request with the same `Idempotency-Key`',
  ),
  'Retry-After': shared(text.optional(), 'RetryAfter', 'Seconds to wait before the same request may succeed'),
};

/** The headers of a successful response. */
function responseHeadersOf(route: Route<never>): z.ZodObject {
  const { ETag, 'Idempotency-Replayed': replayed } = responseHeaders;
  return z.object({
    ...usualHeadersOf(route),
    ...(route.method === 'get' && { ETag }),
    ...(acceptsIdempotencyKey(route) && { 'Idempotency-Replayed': replayed }),
  });
}

/** The headers of an error with one of these codes. */
function errorHeadersOf(route: Route<never>, codes: readonly ErrorCode[]): z.ZodObject {
  const mayRetry = codes.some((code) => [429, 503].includes(errorRegistry[code].status));
  return z.object({
    ...usualHeadersOf(route),
    ...(mayRetry && { 'Retry-After': responseHeaders['Retry-After'] }),
  });
}

function usualHeadersOf({ kind }: Route<never>) {
  const { 'X-Correlation-Id': correlationId, RateLimit, 'RateLimit-Policy': policy } = responseHeaders;
  const isLimited = routeKinds[kind].rateLimit !== 'none';
  return { 'X-Correlation-Id': correlationId, ...(isLimited && { RateLimit, 'RateLimit-Policy': policy }) };
}
