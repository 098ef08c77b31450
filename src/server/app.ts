import express, { type Express, type RequestHandler } from 'express';
import type { Authenticator } from '../auth/authentication.ts';
import type { Clock } from '../domain/units/clock.ts';
import type { Ids } from '../domain/units/ids.ts';
import type { Release } from '../domain/versioning/releases.ts';
import type { Logger } from '../observability/logger.ts';
import type { MeasuredRequest } from '../observability/metrics.ts';
import type { Db } from '../store/database.ts';
import { type AccessAudit, noAccessAudit } from './access-audit.ts';
import { auditRefusals } from './audit-refusals.ts';
import { errorHandler } from './error-handler.ts';
import { specifiedRequests } from './error-status.ts';
import { createRateLimiter, probeRateLimiter, type RateLimits } from './rate-limiter.ts';
import { jsonBody } from './json-body.ts';
import type { KeptReads } from './kept-reads.ts';
import { refuseUnanswered, refuseUnknownMethod } from './allowed-methods.ts';
import { requireJson } from './require-json.ts';
import { authenticate, requireKey } from './authenticate.ts';
import { correlate, crossOrigin, keepOutOfCaches, logAccess, securityHeaders } from './request-context.ts';
import { measureRequests } from './request-metrics.ts';
import type { Route } from './route.ts';
import { routerOf } from './router.ts';
import { serveVaultPicture, vaultPicturePath } from './vault-picture.ts';
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
  /** Number of proxies in front of the service whose X-Forwarded-For is trusted. */
  readonly trustedProxies: number;
  readonly corsOrigins: readonly string[];
  /** Origin of the blockchain endpoint, for the content security policy. */
  readonly rpcOrigin: string;
  readonly limits: RateLimits;
  /** Absent: every read is made anew. */
  readonly keptReads?: KeptReads;
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
  app.set('trust proxy', options.trustedProxies);
  if (options.onRequest) app.use(measureRequests(options.onRequest));
  app.use(correlate(ids), logAccess({ logger, clock }));
  app.use(securityHeaders(options.rpcOrigin), crossOrigin(options.corsOrigins), keepOutOfCaches);
  const versions = createVersionPolicy(context.releases, clock);
  app.use(versions.announce);
  app.get(vaultPicturePath, serveVaultPicture);
  const limited = Map.groupBy(routes.open, ({ rateLimited = 'shared' }) => rateLimited);
  app.use(routerOf(limited.get(false) ?? [], context));
  const probes = limited.get('in_process') ?? [];
  app.use(
    probes.map(({ path }) => path),
    probeRateLimiter(),
  );
  const probeRouter = routerOf(probes, context);
  app.use((request, response, next) => {
    // A probe with a key is told more, so its key is checked and counted as any other.
    if (request.get('X-API-Key') === undefined) probeRouter(request, response, next);
    else next();
  });
  if (options.docs) app.use('/docs', probeRateLimiter(), options.docs);
  const rateLimiter = createRateLimiter({ db, clock, logger, ...options });
  app.use(rateLimiter.refuseFromMemory, authenticate(authenticator, clock), rateLimiter.count);
  app.use(refuseUnknownMethod, versions.refuse);
  app.use(probeRouter, routerOf(limited.get('shared') ?? [], context));
  app.use(['/api', '/dev'], requireKey);
  app.use(requireJson);
  for (const { method, path, bodyLimit } of routes.api)
    if (bodyLimit !== undefined) app[method](`/api/v1${path}`, jsonBody(bodyLimit));
  app.use(jsonBody('100kb'));
  const { accessAudit = noAccessAudit } = options;
  options.onClose?.(accessAudit.close);
  app.use('/api/v1', routerOf(routes.api, context, { ...options, accessAudit }));
  app.use('/dev', routerOf(routes.dev, context));
  app.use(refuseUnanswered, auditRefusals(accessAudit));
  app.use(errorHandler({ logger, clock, isSpecified: specifiedRequests(routes.api) }));
  return app;
}
