import { z } from 'zod';
import { ok } from './answer.ts';
import type { RouteLists } from './app.ts';
import { openApiDocument } from './openapi.ts';
import { type Route, routeFor } from './route.ts';

/** Adds the operation that publishes all of `routes`, itself included, as an OpenAPI document. */
export function withOpenApi<Context>(routes: RouteLists<Context>, version: string): RouteLists<Context> {
  const publish: Route<Context> = routeFor<Context>()({
    method: 'get',
    path: '/openapi.json',
    operationId: 'readOpenApi',
    summary: 'This document',
    description:
      'OpenAPI 3.1. `x-error-codes` lists every code with its type, status and whether the same request can ' +
      'succeed later; `x-permission` of an operation what its key or session must be allowed.',
    answers: 'The document',
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    errors: [],
    handle: () => Promise.resolve(ok(document)),
  });
  const all = { ...routes, open: [...routes.open, publish] };
  const document = { ...openApiDocument(all, version) };
  return all;
}
