import { expect } from '@jest/globals';
import { ErrorBody, Problem } from '../../src/server/error-schemas.ts';
import { errorsOf } from '../../src/openapi/operation-errors.ts';
import type { RouteLists } from '../../src/server/app.ts';
import type { z } from 'zod';

/** Checks a response against the published schema of its operation and returns its body. */
export async function publishedBody<Context>(
  routes: RouteLists<Context>,
  operationId: string,
  response: Response,
): Promise<unknown> {
  const access = (['api', 'dev', 'open'] as const).find((list) => routes[list].some(named(operationId)));
  const route = access && routes[access].find(named(operationId));
  if (!route) throw new Error(`no operation ${operationId}`);
  expect(response.headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  const text = await response.text();
  if (response.status < 400) {
    expect(Object.keys(route.responses)).toContain(String(response.status));
    const schema = route.responses[response.status] as z.ZodType | null;
    if (schema === null) expect(text).toBe('');
    return schema === null ? undefined : schema.parse(JSON.parse(text));
  }
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const body: unknown = JSON.parse(text);
  const code = isProblem ? Problem.parse(body).code : ErrorBody.parse(body).error.code;
  expect(errorsOf(route, access)).toContain(code);
  return body;
}

const named = (operationId: string) => (route: { operationId: string }) => route.operationId === operationId;
