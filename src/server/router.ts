import type { RequestListener } from 'node:http';
import { type Request, Router } from 'express';
import { anonymous, auditActorOf, type Caller } from '../domain/identity/caller.ts';
import { forgetOldest } from '../domain/forget-oldest.ts';
import type { Clock } from '../domain/units/clock.ts';
import { type AccessAudit, noAccessAudit } from './access-audit.ts';
import type { RouteResponse } from './route-response.ts';
import { namesTag, preconditionOf, sentBody } from './conditional.ts';
import { methodNotes } from './allowed-methods.ts';
import { dispatcherOf } from './dispatch.ts';
import { createIdempotency, withoutKey } from './idempotency.ts';
import { idempotencyKeyOf } from './idempotency-header.ts';
import { type KeptReads, nothingKept } from './kept-reads.ts';
import type { Handler, LocalResponse } from './request-locals.ts';
import type { RawInput } from './parse-request.ts';
import { acceptsIdempotencyKey, type Route } from './route.ts';

/** What routes use beside their context. */
interface Parts {
  readonly keptReads: KeptReads;
  readonly accessAudit: AccessAudit;
}

/** Connects the routes to an express router. `wallClock` times idempotency keys. */
export function routerOf<Context extends { readonly wallClock: Clock }>(
  routes: readonly Route<Context>[],
  context: Context,
  { keptReads = nothingKept, accessAudit = noAccessAudit }: Partial<Parts> = {},
): Handler {
  const routers = new Map<string, Handler>();
  for (const [shape, same] of Map.groupBy(routes, ({ path }) => shapeOf(path))) {
    const router = Router({ caseSensitive: true });
    for (const route of same) router[route.method](route.path, handlerOf(route, context, { keptReads, accessAudit }));
    for (const [path, note] of methodNotes(same)) router.all(path, note);
    routers.set(shape, router as Handler);
  }
  return (request, response, next) => {
    const router = routers.get(shapeOf(request.path));
    if (router) router(request, response, next);
    else next();
  };
}

/** Paths of one route have one shape, so that express need not compare a request with all routes. Paths begin with a name. */
function shapeOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `${segments.length} ${segments[0] ?? ''}`;
}

function handlerOf<Context extends { readonly wallClock: Clock }>(
  route: Route<Context>,
  context: Context,
  { keptReads, accessAudit }: Parts,
): Handler {
  const reads = route.kept === true ? keptReads : nothingKept;
  const inputName = remembered(({ input }: Asked) => route.inputName(input));
  return async (request, response) => {
    const { locals } = response;
    locals.operationId = route.operationId;
    locals.route = request.baseUrl + route.path;
    const caller = callerOf(locals);
    const key = acceptsIdempotencyKey(route) ? idempotencyKeyOf(request.get('Idempotency-Key')) : null;
    const { params, query, originalUrl: url, body = {} } = request;
    const { apiKeyId, wallet } = caller;
    const { operationId: operation } = route;
    const keyed =
      key === null || route.idempotent === 'each item'
        ? null
        : createIdempotency({ apiKeyId, wallet, operation, key, url, body }, context.wallClock);
    const { correlationId } = locals;
    const scope = {
      caller,
      correlationId,
      idempotency: keyed ?? withoutKey,
      idempotencyKey: key,
      precondition: preconditionOf(request.get('If-Match')),
      dispatch: dispatcherOf(request, request.app as RequestListener, correlationId),
    };
    const input = { params, query, body };
    if (route.stream && prefersStream(request)) {
      await route.stream(input, scope, context, response);
      return;
    }
    const respond = () => route.respond(input, scope, context);
    const routeResponse = await reads.respond(() => readName(operation, inputName({ url, input }), caller), respond);
    if (keyed?.isUsed() === false) throw new Error(`${route.operationId} did not use its idempotency key`);
    noteRead(accessAudit, caller, routeResponse);
    sendAnswer(response, route.method, routeResponse);
  };
}

/** Notes a read that shows personal data, also from a kept body. */
function noteRead(audit: AccessAudit, caller: Caller, { sent, personalDataOf }: RouteResponse): void {
  const resource = personalDataOf ?? sent?.personalDataOf;
  if (!resource) return;
  const metadata = { apiKeyId: caller.apiKeyId };
  audit.note({ action: 'PERSONAL_DATA_READ', actor: auditActorOf(caller), resource, metadata });
}

/** A client that takes anything gets JSON: it would wait for the end of a stream. */
function prefersStream(request: Pick<Request, 'method' | 'accepts'>): boolean {
  return request.method === 'GET' && request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
}

interface Asked {
  readonly url: string;
  readonly input: RawInput;
}

const MAX_REMEMBERED = 1_000;
/** Longer ones are rarely asked for again. */
const MAX_LENGTH = 300;

/** Remembers what was last found for a URL. */
function remembered(find: (asked: Asked) => string): (asked: Asked) => string {
  const names = new Map<string, string>();
  return (asked) => {
    const { url } = asked;
    const known = names.get(url);
    if (known !== undefined) return known;
    const name = find(asked);
    if (url.length <= MAX_LENGTH) names.set(url, name);
    forgetOldest(names, MAX_REMEMBERED);
    return name;
  };
}

const readerNames = new WeakMap<Caller, string>();

/** Readers with equal rights read the same. */
function readName(operation: string, input: string, caller: Caller): string {
  const { roles, permissions, wallet } = caller;
  const reader = readerNames.get(caller) ?? JSON.stringify([wallet, roles, permissions]);
  readerNames.set(caller, reader);
  return `${operation} ${input} ${reader}`;
}

function sendAnswer(response: LocalResponse, method: string, routeResponse: RouteResponse): void {
  if (method === 'get' && routeResponse.body !== undefined)
    sendRead(response, routeResponse, response.req.get('If-None-Match'));
  else send(response, routeResponse);
}

function callerOf({ authentication }: LocalResponse['locals']): Caller {
  return authentication?.kind === 'valid' ? authentication.caller : anonymous;
}

function send(response: LocalResponse, { status, body, headers, issuedSession }: RouteResponse): void {
  if (issuedSession !== undefined) response.locals.recordSession?.(issuedSession);
  response.status(status).set({ ...headers });
  if (body === undefined) response.end();
  else response.json(body);
}

/** Sends what was read, unless the caller already has it. What needs no key may be kept by caches, which ask before each use. */
function sendRead(response: LocalResponse, read: RouteResponse, ifNoneMatch: string | undefined): void {
  const sent = read.sent ?? sentBody(read.body);
  response.setHeader('ETag', sent.tag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-cache');
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, sent.tag)) {
    response.status(304).end();
    return;
  }
  const { text } = sent;
  // Express would look at the type, the tag and the headers of the request again.
  response
    .status(read.status)
    .set({ ...read.headers })
    .setHeader('Content-Type', 'application/json; charset=utf-8')
    .setHeader('Content-Length', Buffer.byteLength(text))
    .end(text);
}
