import { expect, test } from '@jest/globals';
import type { Development } from './development.ts';
import { developmentRoutes } from './routes.ts';

const routes = developmentRoutes({} as Development);

test.each(routes.map((route) => [route.operationId, route] as const))('%s says what it does', (_id, route) => {
  expect(route.description).toBeDefined();
  expect(route.method === 'get' || route.answers !== undefined).toBe(true);
});

const shown = routes.flatMap(({ operationId, body, examples }) =>
  Object.entries(examples ?? {}).map(([name, value]) => [`${operationId}: ${name}`, body, value] as const),
);

test.each(shown)('a request that is shown is one its operation takes (%s)', (_name, body, value) => {
  expect(body?.safeParse(value).error).toBeUndefined();
});
