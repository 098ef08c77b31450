import { z } from 'zod';
import { asyncApiRoute } from '../../events/asyncapi/routes.ts';
import { constant, type Route, routeFor } from '../http/route.ts';
import type { RouteLists } from '../http/app.ts';
import { openApiDocument } from './document.ts';

/**
 * Adds the operations that return the AsyncAPI document of the events, and the OpenAPI document of all routes, itself included. The
 * first request makes it: that takes 0.2 s.
 */
export function withContracts<Context>(routes: RouteLists<Context>, version: string): RouteLists<Context> {
  const makeDocument = () => constant({ ...openApiDocument(all, version) });
  let document: ReturnType<typeof makeDocument> | undefined;
  const publish: Route<Context> = routeFor<Context>()({
    method: 'get',
    path: '/openapi.json',
    operationId: 'readOpenApi',
    summary: 'Get this document',
    description:
      'OpenAPI 3.1. `x-error-codes` lists every error code, its type, its HTTP status, and whether a retry can ' +
      'help. `x-permission` of an operation is the permission that its key or session needs. `x-unrestricted` ' +
      'says why it needs none.',
    permission: { unrestricted: 'The contract is public' },
    success: 'The OpenAPI document',
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    errors: [],
    handle: () => Promise.resolve((document ??= makeDocument())),
  });
  const all = { ...routes, open: [...routes.open, asyncApiRoute<Context>(version), publish] };
  return all;
}
