import type { RequestListener } from 'node:http';
import { type Request, Router } from 'express';
import { type Caller, anonymous, auditActorOf } from '../../access/rules.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../units/time.ts';
import { type AccessAudit, noAccessAudit } from './access-audit.ts';
import type { Once, RequestScope, Route, RouteResponse } from './route.ts';
import { acceptsIdempotencyKey, routeKinds } from './route-kinds.ts';
import { acceptedForm, namesTag, preconditionOf, sentBody } from './bodies.ts';
import { dispatcherOf } from './dispatch.ts';
import { type KeyedIdempotency, createIdempotency, idempotencyKeyOf, withoutKey } from './idempotency.ts';
import type { Handler, LocalResponse, RequestLocals } from './request-locals.ts';
import type { RawInput } from './parse-request.ts';
import { type ConcurrencyLimits, type Limited, noLimits } from './concurrency.ts';
import { type MicroCache, createMicroCache } from './micro-cache.ts';
import { clientOf } from './client-address.ts';
import { ServiceError } from '../errors.ts';

/** What routes use beside their context. */
interface Parts {
  readonly accessAudit: AccessAudit;
  /** For reads; changes drop it. */
  readonly microCache: Pick<MicroCache, 'respond' | 'drop'>;
  readonly limits: ConcurrencyLimits;
}

interface RouterContext {
  readonly db: Db;
  /** Times idempotency keys. */
  readonly wallClock: Clock;
}

/** Connects the routes to an express router. */
export function routerOf<Context extends RouterContext>(
  routes: readonly Route<Context>[],
  context: Context,
  parts: Partial<Parts> = {},
): Handler {
  const routers = new Map<string, Handler>();
  for (const [shape, same] of Map.groupBy(routes, ({ path }) => shapeOf(path))) {
    const router = Router({ caseSensitive: true });
    for (const route of same) router[route.method](route.path, handlerOf(route, context, { ...noParts, ...parts }));
    for (const [path, note] of methodNotes(same)) router.all(path, note);
    routers.set(shape, router as Handler);
  }
  return (request, response, next) => {
    const router = routers.get(shapeOf(request.path)) ?? pass;
    return router(request, response, next);
  };
}

const pass: Handler = (_request, _response, next) => {
  next();
};

/** Paths of one route have one shape, so that express need not compare a request with all routes. Paths begin with a name. */
function shapeOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `${segments.length} ${segments[0] ?? ''}`;
}

function handlerOf<Context extends RouterContext>(
  route: Route<Context>,
  context: Context,
  { accessAudit, microCache, limits }: Parts,
): Handler {
  const limit = limits[routeKinds[route.kind].concurrency];
  const limited: LimitOfRequest = (request, locals) => limit(clientOf(request, callerOf(locals)));
  const respond =
    route.method === 'get' ? read(route, context, microCache, limited) : change(route, context, microCache, limited);
  return async (request, response) => {
    const { locals } = response;
    locals.operationId = route.operationId;
    locals.route = request.baseUrl + route.path;
    if (route.stream && prefersStream(request)) {
      await route.stream.send(inputOf(request), scopeOf(request, locals), context, response);
      return;
    }
    const routeResponse = await respond(request, locals);
    noteRead(accessAudit, callerOf(locals), routeResponse);
    sendAnswer(response, route.method, routeResponse);
  };
}

type LocalRequest = Parameters<Handler>[0];
type Responder = (request: LocalRequest, locals: RequestLocals) => Promise<RouteResponse>;
/** The concurrency limit of whoever sends a request. */
type LimitOfRequest = (request: LocalRequest, locals: RequestLocals) => Limited;

const noParts: Parts = {
  microCache: createMicroCache({ lifetimeMs: 0 }),
  accessAudit: noAccessAudit,
  limits: noLimits,
};

function read<Context>(
  route: Route<Context>,
  context: Context,
  cache: Pick<MicroCache, 'respond'>,
  limited: LimitOfRequest,
): Responder {
  return (request, locals) =>
    cache.respond(
      { caller: callerOf(locals), url: request.originalUrl },
      () => route.respond(inputOf(request), scopeOf(request, locals), context),
      limited(request, locals),
    );
}

function change<Context extends RouterContext>(
  route: Route<Context>,
  context: Context,
  cache: Pick<MicroCache, 'drop'>,
  limited: LimitOfRequest,
): Responder {
  return async (request, locals) => {
    const key = acceptsIdempotencyKey(route) ? idempotencyKeyOf(request.get('Idempotency-Key')) : null;
    const { apiKeyId, wallet } = callerOf(locals);
    const { originalUrl: url, body = {} } = request;
    const keyed =
      key === null || route.kind === 'batch'
        ? null
        : createIdempotency({ apiKeyId, wallet, operation: route.operationId, key, url, body }, context.wallClock);
    const scope = { ...scopeOf(request, locals), idempotency: keyed ?? withoutKey, idempotencyKey: key };
    const once = keyed === null ? undefined : onceFor(route, keyed, context.db);
    const answer = () => route.respond(inputOf(request), scope, context, once);
    // Also after an error: it may have come after the commit.
    const routeResponse = await limited(request, locals)(answer).finally(cache.drop);
    if (keyed?.isUsed() === false) throw new Error(`${route.operationId} did not use its idempotency key`);
    return routeResponse;
  };
}

/** A batch asks for the recorded responses of all its requests at once. */
function onceFor<Context>({ kind }: Route<Context>, keyed: KeyedIdempotency, db: Db): Once {
  return (handle) =>
    routeKinds[kind].idempotencyKey === 'in batch' ? keyed.orRecorded(db, handle) : keyed.recordedOr(db, handle);
}

function inputOf({ params, query, body = {} }: LocalRequest): RawInput {
  return { params, query, body };
}

/** Of a request without an idempotency key. */
function scopeOf(request: LocalRequest, locals: RequestLocals): RequestScope {
  const { correlationId } = locals;
  return {
    caller: callerOf(locals),
    correlationId,
    idempotency: withoutKey,
    idempotencyKey: null,
    precondition: preconditionOf(request.get('If-Match')),
    dispatch: dispatcherOf(request, request.app as RequestListener, correlationId),
  };
}

/** Notes a read that shows personal data. */
function noteRead(audit: AccessAudit, caller: Caller, { personalDataOf: resource }: RouteResponse): void {
  if (!resource) return;
  const metadata = { apiKeyId: caller.apiKeyId };
  audit.note({ action: 'PERSONAL_DATA_READ', actor: auditActorOf(caller), resource, metadata });
}

/** A client that takes anything gets JSON: it would wait for the end of a stream. */
function prefersStream(request: Pick<Request, 'method' | 'accepts'>): boolean {
  return request.method === 'GET' && request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
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
  const content = sent.compressed ? acceptedForm(response, sent.compressed) : sent.text;
  // Express would look at the type, the tag and the headers of the request again.
  response
    .status(read.status)
    .set({ ...read.headers })
    .setHeader('Content-Type', 'application/json; charset=utf-8')
    .setHeader('Content-Length', Buffer.byteLength(content))
    .end(content);
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method as metrics name it: callers can make up any number of others. */
export function measuredMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER';
}

/** Throws METHOD_NOT_ALLOWED for a method that no operation has, as TRACE. */
export const refuseUnknownMethod: Handler = ({ method }, response, next) => {
  if (METHODS.has(method)) next();
  else throw notAllowed(response, METHODS);
};

/** The paths of the routes, with a handler that notes their methods for a request that none of them has answered. */
export function methodNotes(routes: readonly Route<never>[]): [path: string, note: Handler][] {
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => {
    const methods = same.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    return [
      path,
      (_request, { locals }, next) => {
        locals.allowed = [...(locals.allowed ?? []), ...methods];
        next();
      },
    ];
  });
}

/** Throws METHOD_NOT_ALLOWED or ROUTE_NOT_FOUND; runs after all routes. */
export const refuseUnanswered: Handler = (_request, response) => {
  const { allowed } = response.locals;
  throw allowed ? notAllowed(response, new Set([...allowed, 'OPTIONS'])) : new ServiceError('ROUTE_NOT_FOUND');
};

function notAllowed(response: Parameters<Handler>[1], methods: ReadonlySet<string>): ServiceError {
  response.set('Allow', [...methods].join(', '));
  return new ServiceError('METHOD_NOT_ALLOWED', { allowed: [...methods] });
}
