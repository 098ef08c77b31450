import { expect, test } from '@jest/globals';
import type { Development } from './development.ts';
import { developmentRoutes } from './routes.ts';

const routes = developmentRoutes({} as Development);

test.each(routes.map((route) => [route.operationId, route] as const))('%s has a description', (_id, route) => {
  expect(route.description).toBeDefined();
  expect(route.method === 'get' || route.success !== undefined).toBe(true);
});

const shown = routes.flatMap(({ operationId, body, examples }) =>
  Object.entries(examples ?? {}).map(([name, value]) => [`${operationId}: ${name}`, body, value] as const),
);

test.each(shown)('an example request is valid for its operation (%s)', (_name, body, value) => {
  expect(body?.safeParse(value).error).toBeUndefined();
});
