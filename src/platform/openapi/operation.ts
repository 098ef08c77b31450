import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { errorRegistry } from '../errors/errors.ts';
import { ErrorBody, Problem } from '../http/error-schemas.ts';
import type { PublishedRule } from '../http/check-permission.ts';
import { type Access, errorsOf } from './operation-errors.ts';
import { statusOf } from '../http/error-status.ts';
import type { Route } from '../http/route.ts';
import { linksOf } from './links.ts';
import { errorHeadersOf, headersOf, responseHeadersOf } from './headers.ts';

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
    const description = route.success ?? route.summary;
    const stream = route.streamed && { 'text/event-stream': { schema: route.streamed } };
    const body = schema && { content: { 'application/json': { schema }, ...stream } };
    return [status, { description, headers, ...body, ...(Object.keys(links).length > 0 && { links }) }];
  });
  if (route.method === 'get' && route.responses[200])
    successes.push(['304', { description: 'Not changed since the read that `If-None-Match` names', headers }]);
  const codesByStatus = Object.groupBy(errorsOf(route, access), (code) => statusOf(code, route.specified === true));
  const errors = Object.entries(codesByStatus).map(([status, codes = []]) => {
    const description = codes.map((code) => `${code}: ${errorRegistry[code].message}`).join('. ');
    const content = { 'application/json': { schema: ErrorBody }, 'application/problem+json': { schema: Problem } };
    return [status, { description, headers: errorHeadersOf(route, codes), content, 'x-codes': codes }];
  });
  return Object.fromEntries([...successes, ...errors]) as ZodOpenApiResponsesObject;
}

function objectOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new TypeError('the parameters of a route need an object schema');
}
