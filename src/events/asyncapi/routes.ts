import { Router } from 'express';
import { z } from 'zod';
import { constant } from '../../platform/http/route-response.ts';
import { type Route, routeFor } from '../../platform/http/route.ts';
import { asyncApiDocument } from './document.ts';
import { eventsPage } from './events-page.ts';

const STYLE = `body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; width: 100%; }
td, th { border-bottom: 1px solid #ddd; padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; }
pre, code { background: #f4f4f4; } pre { overflow-x: auto; padding: 0.75rem; }
td ul { margin: 0; padding-left: 1.25rem; }
`;

/** The operation that returns the AsyncAPI document, which is made at the first request. */
export function asyncApiRoute<Context>(version: string): Route<Context> {
  const makeDocument = () => constant({ ...asyncApiDocument(version) });
  let document: ReturnType<typeof makeDocument> | undefined;
  return routeFor<Context>()({
    method: 'get',
    path: '/asyncapi.json',
    operationId: 'readAsyncApi',
    summary: 'Read the AsyncAPI document of the events and of the messages of socket.io',
    description: 'AsyncAPI 3.1. `/docs/events` shows it to people.',
    permission: { unrestricted: 'The contract is public' },
    success: 'The AsyncAPI document',
    responses: { 200: z.looseObject({ asyncapi: z.string() }) },
    errors: [],
    handle: () => Promise.resolve((document ??= makeDocument())),
  });
}

/** The page of the events, below /docs. */
export function eventPages(version: string): Router {
  const router = Router();
  let page: string | undefined;
  router.get('/events', (_request, response) => {
    response.type('text/html').send((page ??= eventsPage(version)));
  });
  router.get('/events.css', (_request, response) => {
    response.type('text/css').send(STYLE);
  });
  return router;
}
