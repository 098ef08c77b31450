import express, { type Express, type Request, type RequestHandler, Router } from 'express';
import type { Authenticator } from '../../access/authentication.ts';
import type { Clock } from '../units/time.ts';
import type { Ids } from '../units/ids.ts';
import type { Release } from '../../versions/rules.ts';
import type { Logger } from '../observability/logger.ts';
import type { MeasuredRequest } from '../observability/metrics.ts';
import type { Db } from '../database/database.ts';
import { type AccessAudit, noAccessAudit, auditRefusals } from './access-audit.ts';
import type { AddressOf } from './client-address.ts';
import { errorHandler, specifiedRequests } from './error-handler.ts';
import { createRateLimiter, probeRateLimiter, type RateLimits } from './rate-limiter.ts';
import { jsonBody, requireJson } from './bodies.ts';
import { type Concurrency, createConcurrencyLimits } from './concurrency.ts';
import { createMicroCache, type MicroCache } from './micro-cache.ts';
import { authenticate, requireKey } from './authenticate.ts';
import {
  correlate,
  crossOrigin,
  keepOutOfCaches,
  logAccess,
  securityHeaders,
  setAddress,
  measureRequests,
} from './request-context.ts';
import type { Handler } from './request-locals.ts';
import type { Route } from './route.ts';
import { routeKinds } from './route-kinds.ts';
import { refuseUnanswered, refuseUnknownMethod, routerOf } from './router.ts';
import { serveVaultPicture, vaultPicturePath } from '../../vaults/routes/vault-picture.ts';
import { createVersionPolicy } from './version-policy.ts';

/** What the server itself uses of the routes' context. `wallClock` times rate limits, keys and logs (design §7). */
export interface ServerContext {
  readonly db: Db;
  readonly wallClock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Every major version of the API. */
  readonly releases: readonly Release[];
  readonly authenticator: Authenticator;
}

/** All operations of the service, by their path prefix. */
export interface RouteLists<Context> {
  /** Under /api/v1; an API key is required. */
  readonly api: readonly Route<Context>[];
  /** Under /dev; an API key is required. */
  readonly dev: readonly Route<Context>[];
  /** At the root; no API key is required. */
  readonly open: readonly Route<Context>[];
}

export interface AppOptions {
  readonly addressOf: AddressOf;
  readonly corsOrigins: readonly string[];
  /** Origin of the blockchain endpoint, for the content security policy. */
  readonly rpcOrigin: string;
  readonly limits: RateLimits;
  /** Of reads, and of changes. */
  readonly concurrency?: Concurrency;
  /** Of reads under /api/v1; absent: none. */
  readonly microCache?: MicroCache;
  /** Absent: refusals and reads of personal data are not audited. */
  readonly accessAudit?: AccessAudit;
  /** The documentation, under /docs. */
  readonly docs?: RequestHandler;
  /** Is given what must be done before the database closes. */
  readonly onClose?: (close: () => Promise<void>) => void;
  /** Called for every request that has ended. */
  readonly onRequest?: (request: MeasuredRequest) => void;
}

/**
 * The service as an express application. The order of its steps is part of the contract: every response has a correlation id and is
 * logged; the limit depends on the caller's role, so the key is looked up first; an invalid key counts against its IP address, and is
 * refused after that.
 */
export function createApp<Context extends ServerContext>(
  context: Context,
  routes: RouteLists<Context>,
  options: AppOptions,
): Express {
  const { db, wallClock: clock, ids, logger, authenticator } = context;
  const app = express();
  app.disable('x-powered-by');
  // Reads have a tag of their own; express would also give one to errors and to changes.
  app.disable('etag');
  const versions = createVersionPolicy(context.releases, clock);
  const rooted = rootedSteps(routes.open, context, options.docs);
  const rateLimiter = createRateLimiter({ db, clock, logger, ...options });
  if (options.onRequest) app.use(measureRequests(options.onRequest));
  app.use(setAddress(options.addressOf), correlate(ids), logAccess({ logger, clock }));
  app.use(securityHeaders(app, options.rpcOrigin), crossOrigin(options.corsOrigins), keepOutOfCaches);
  app.use(versions.announce, onlyFor(isElsewhere, rooted.unauthenticated));
  app.use(rateLimiter.refuseFromMemory, authenticate(authenticator, clock), rateLimiter.count);
  app.use(refuseUnknownMethod, versions.refuse, onlyFor(isElsewhere, rooted.authenticated));
  app.use(onlyFor(needsKey, requireKey), onlyFor(hasBody, readBodies(routes.api)));
  const nothingCached = createMicroCache({ lifetimeMs: 0 });
  const { accessAudit = noAccessAudit, microCache = nothingCached } = options;
  options.onClose?.(accessAudit.close);
  app.use(
    '/api/v1',
    routerOf(routes.api, context, {
      ...options,
      accessAudit,
      microCache,
      limits: createConcurrencyLimits(options.concurrency),
    }),
  );
  // A move of the clock changes what reads show; the clock itself is never cached.
  app.use('/dev', routerOf(routes.dev, context, { microCache: { ...nothingCached, drop: microCache.drop } }));
  app.use(refuseUnanswered, auditRefusals(accessAudit));
  app.use(errorHandler({ logger, clock, isSpecified: specifiedRequests(routes.api) }));
  return app;
}

/** A step that is left out for requests that it does not concern. */
function onlyFor(
  concerns: (request: Pick<Request, 'path' | 'headers'>) => boolean,
  step: RequestHandler | Handler,
): RequestHandler {
  return (request, response, next) => {
    if (concerns(request)) return (step as RequestHandler)(request, response, next);
    next();
    return undefined;
  };
}

/** Whether a request is for none of the paths under /api, as they are usually written: nothing at the root answers these. */
function isElsewhere({ path }: Pick<Request, 'path'>): boolean {
  return !path.startsWith('/api/');
}

/** In upper and lower case, as express compares paths. */
function needsKey({ path }: Pick<Request, 'path'>): boolean {
  return /^\/(?:api|dev)(?:\/|$)/i.test(path);
}

function hasBody({ headers }: Pick<Request, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** A browser at the root gets the documentation; there is no other page. */
const leadToDocs: RequestHandler = (request, response, next) => {
  response.vary('Accept');
  if (request.accepts(['json', 'html']) !== 'html') {
    next();
    return;
  }
  response.redirect('/docs/');
};

/** What answers at the root, before and after the caller is known. A probe with a key is told more, so its key is checked and counted. */
function rootedSteps<Context extends ServerContext>(
  routes: readonly Route<Context>[],
  context: Context,
  docs: RequestHandler | undefined,
): Readonly<Record<'unauthenticated' | 'authenticated', Router>> {
  const limited = Map.groupBy(routes, ({ kind }) => routeKinds[kind].rateLimit);
  const [unauthenticated, authenticated] = [Router(), Router()];
  unauthenticated.get(vaultPicturePath, serveVaultPicture);
  unauthenticated.use(routerOf(limited.get('none') ?? [], context));
  if (docs) unauthenticated.get('/', leadToDocs);
  const probes = limited.get('in process') ?? [];
  unauthenticated.use(
    probes.map(({ path }) => path),
    probeRateLimiter(),
  );
  const probeRouter = routerOf(probes, context);
  unauthenticated.use(onlyFor(({ headers }) => headers['x-api-key'] === undefined, probeRouter));
  if (docs) unauthenticated.use('/docs', probeRateLimiter(), docs);
  authenticated.use(probeRouter, routerOf(limited.get('shared') ?? [], context));
  return { unauthenticated, authenticated };
}

/** Reads JSON up to the size that a route allows. */
function readBodies(routes: readonly Route<never>[]): Router {
  const router = Router();
  router.use(requireJson);
  for (const { method, path, bodyLimit } of routes)
    if (bodyLimit !== undefined) router[method](`/api/v1${path}`, jsonBody(bodyLimit));
  router.use(jsonBody('100kb'));
  return router;
}
