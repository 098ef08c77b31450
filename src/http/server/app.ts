import express, { type Express, Router } from 'express';
import { createAuthentication } from '../../auth/authentication.ts';
import { anonymous, type Caller } from '../../domain/identity/caller.ts';
import type { Clock } from '../../domain/units/clock.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Ids } from '../../domain/units/ids.ts';
import type { Logger } from '../../observability/logger.ts';
import type { MeasuredRequest } from '../../observability/metrics.ts';
import type { Db } from '../../store/database.ts';
import type { Answer } from './answer.ts';
import { errorHandler } from './error-handler.ts';
import { createIdempotency, idempotencyKeyOf, withoutKey } from './idempotency.ts';
import { rateLimiter, type RateLimits } from './rate-limiter.ts';
import { correlate, crossOrigin, logAccess, securityHeaders } from './request-context.ts';
import { measureRequests } from './request-metrics.ts';
import type { Handler, LocalResponse } from './request-locals.ts';
import { honoursIdempotencyKey, type Route } from './route.ts';

/** What the core itself needs of the context that routes work with. `wallClock` times limits, keys and logs (design §7). */
export interface ServerContext {
  readonly db: Db;
  readonly wallClock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Every operation of the service, by who may reach it. */
export interface RouteLists<Context> {
  /** Under /api/v1, with a key. */
  readonly api: readonly Route<Context>[];
  /** Under /dev, with a key. */
  readonly dev: readonly Route<Context>[];
  /** At the root, without a key. */
  readonly open: readonly Route<Context>[];
}

export interface AppOptions {
  /** How many proxies stand in front; their X-Forwarded-For is believed. */
  readonly trustedProxies: number;
  readonly corsOrigins: readonly string[];
  /** Origin of the blockchain endpoint, for the content security policy. */
  readonly rpcOrigin: string;
  readonly limits: RateLimits;
  /** Told of every request that has ended. */
  readonly onRequest?: (request: MeasuredRequest) => void;
}

/** The service as an express application; the order of its steps is part of the contract (notes, stack.md section 2). */
export function createApp<Context extends ServerContext>(
  context: Context,
  routes: RouteLists<Context>,
  options: AppOptions,
): Express {
  const { db, wallClock: clock, ids, logger } = context;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', options.trustedProxies);
  if (options.onRequest) app.use(measureRequests(options.onRequest));
  app.use(correlate(ids), logAccess({ logger, clock }));
  app.use(securityHeaders(options.rpcOrigin), crossOrigin(options.corsOrigins));
  app.use(
    routerOf(
      routes.open.filter((route) => route.rateLimited === false),
      context,
    ),
  );
  app.use(recognise(db, clock), rateLimiter({ db, clock, limits: options.limits }));
  app.use(
    routerOf(
      routes.open.filter((route) => route.rateLimited !== false),
      context,
    ),
  );
  app.use(['/api', '/dev'], requireKey);
  app.use(requireJson, express.json({ limit: '100kb' }));
  app.use('/api/v1', routerOf(routes.api, context));
  app.use('/dev', routerOf(routes.dev, context));
  app.use(refuseUnknownPath, errorHandler({ logger, clock }));
  return app;
}

function recognise(db: Db, clock: Clock): Handler {
  const authenticate = createAuthentication(db, clock);
  return async (request, response, next) => {
    response.locals.authentication = await authenticate({
      apiKey: request.get('X-API-Key'),
      authorization: request.get('Authorization'),
    });
    next();
  };
}

const requireKey: Handler = (_request, response, next) => {
  const { authentication } = response.locals;
  if (authentication?.kind !== 'valid') {
    const code = authentication?.kind === 'invalid' ? 'INVALID_API_KEY' : 'API_KEY_REQUIRED';
    throw new ServiceError(code, { header: 'X-API-Key' });
  }
  if (authentication.isSessionRefused) throw new ServiceError('INVALID_SESSION', { header: 'Authorization' });
  next();
};

const requireJson: Handler = (request, _response, next) => {
  // False: a body of another type. Null: no body at all.
  if (request.is('application/json') === false && request.get('Content-Length') !== '0') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  }
  next();
};

const refuseUnknownPath: Handler = ({ path }) => {
  const isOtherVersion = /^\/api\/v\d+(\/|$)/.test(path) && !/^\/api\/v1(\/|$)/.test(path);
  throw new ServiceError(isOtherVersion ? 'VERSION_NOT_SUPPORTED' : 'ROUTE_NOT_FOUND');
};

function routerOf<Context extends ServerContext>(routes: readonly Route<Context>[], context: Context): Router {
  const router = Router({ caseSensitive: true });
  for (const route of routes) router[route.method](route.path, answerWith(route, context));
  return router;
}

function answerWith<Context extends ServerContext>(route: Route<Context>, context: Context): Handler {
  return async (request, response) => {
    const { locals } = response;
    locals.operationId = route.operationId;
    locals.route = request.baseUrl + route.path;
    const caller = callerOf(locals);
    const key = honoursIdempotencyKey(route) ? idempotencyKeyOf(request.get('Idempotency-Key')) : null;
    const { params, query, originalUrl: url, body = {} } = request;
    const { apiKeyId, wallet } = caller;
    const { operationId: operation } = route;
    const keyed =
      key === null ? null : createIdempotency({ apiKeyId, wallet, operation, key, url, body }, context.wallClock);
    const { correlationId } = locals;
    const circumstances = { caller, correlationId, idempotency: keyed ?? withoutKey };
    const answer = await route.answer({ params, query, body }, circumstances, context);
    if (keyed?.answered() === false) throw new Error(`${route.operationId} did not answer once`);
    send(response, answer);
  };
}

function callerOf({ authentication }: LocalResponse['locals']): Caller {
  return authentication?.kind === 'valid' ? authentication.caller : anonymous;
}

function send(response: LocalResponse, { status, body, headers }: Answer): void {
  response.status(status).set({ ...headers });
  if (body === undefined) response.end();
  else response.json(body);
}
