import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { errorRegistry } from '../domain/errors.ts';
import { ErrorBody, Problem } from '../http/server/error-schemas.ts';
import type { PublishedRule } from '../http/server/check-permission.ts';
import { type Access, errorsOf } from './operation-errors.ts';
import { acceptsIdempotencyKey, type Route } from '../http/server/route.ts';

/** The operation of the OpenAPI document that describes a route. */
export function operationOf(route: Route<never>, access: Access): ZodOpenApiOperationObject {
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
      header: acceptsIdempotencyKey(route) ? headersWithKey : headers,
    },
    ...requestBodyOf(route),
    responses: responsesOf(route, access),
  };
}

function publishedPermission(rule: PublishedRule) {
  if ('unrestricted' in rule) return { 'x-unrestricted': rule.unrestricted };
  return { 'x-permission': { resource: rule.resource, action: rule.action } };
}

const headers = z.object({
  'X-Correlation-Id': z.string().max(64).describe('Identifies the request in responses and logs').optional(),
});

const headersWithKey = headers.extend({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .describe('A repeated request with this key gets the response of the first success and changes nothing')
    .optional(),
});

function requestBodyOf({ body, examples }: Route<never>): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (!body) return {};
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }] as const);
  const json = { schema: body, ...(named.length > 0 && { examples: Object.fromEntries(named) }) };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

function responsesOf(route: Route<never>, access: Access): ZodOpenApiResponsesObject {
  const successes = Object.entries(route.responses).map(([status, schema]) => {
    const description = route.success ?? route.summary;
    return [status, { description, ...(schema && { content: { 'application/json': { schema } } }) }];
  });
  const codesByStatus = Object.groupBy(errorsOf(route, access), (code) => errorRegistry[code].status);
  const errors = Object.entries(codesByStatus).map(([status, codes = []]) => {
    const description = codes.map((code) => `${code}: ${errorRegistry[code].message}`).join('. ');
    const content = { 'application/json': { schema: ErrorBody }, 'application/problem+json': { schema: Problem } };
    return [status, { description, content, 'x-codes': codes }];
  });
  return Object.fromEntries([...successes, ...errors]) as ZodOpenApiResponsesObject;
}

function objectOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new TypeError('the parameters of a route need an object schema');
}
