import { z } from 'zod';
import { constant } from '../server/route-response.ts';
import type { RouteLists } from '../server/app.ts';
import { openApiDocument } from './document.ts';
import { type Route, routeFor } from '../server/route.ts';

/** Adds the operation that returns the OpenAPI document of all routes, itself included. */
export function withOpenApi<Context>(routes: RouteLists<Context>, version: string): RouteLists<Context> {
  const publish: Route<Context> = routeFor<Context>()({
    method: 'get',
    path: '/openapi.json',
    operationId: 'readOpenApi',
    summary: 'Read this document',
    description:
      'OpenAPI 3.1. `x-error-codes` lists every error code with its type, its HTTP status and whether the same request ' +
      'can succeed later. `x-permission` of an operation is the permission that its key or session needs; ' +
      '`x-unrestricted` says why it needs none.',
    permission: { unrestricted: 'The contract is public' },
    success: 'The OpenAPI document',
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    errors: [],
    handle: () => Promise.resolve(document),
  });
  const all = { ...routes, open: [...routes.open, publish] };
  const document = constant({ ...openApiDocument(all, version) });
  return all;
}
