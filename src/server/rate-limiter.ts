import { rateLimit, type Store } from 'express-rate-limit';
import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../domain/units/clock.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Db } from '../store/database.ts';
import { createRequestCounter, type RequestCounter } from '../store/rate-limits.ts';
import { credentialsOf, ipOf } from './failed-credentials.ts';
import { createRefusedCallers, type RefusedCallers, requireNotRefused } from './refused-callers.ts';
import type { RequestLocals } from './request-locals.ts';

/** Maximum numbers of requests in a time window. */
export interface RateLimits {
  readonly perCaller: number;
  readonly perAdmin: number;
  readonly windowSeconds: number;
}

/** The limits of the spec ("Limits"). */
export const specRateLimits: RateLimits = { perCaller: 100, perAdmin: 1000, windowSeconds: 900 };

/** Share of a key's limit that each of its visitors may use even when the others have used up the key. */
const GUARANTEED_SHARE = 0.1;
/** Share of a key's limit that all its visitors together may use beyond it. */
const RESERVED_SHARE = 0.5;

/** The two steps of the rate limit, before and after the caller is known. */
export interface RateLimiter {
  /** Refuses callers that were refused a moment ago, without a query. Throws RATE_LIMIT_EXCEEDED. */
  readonly refuseFromMemory: RequestHandler;
  /** Counts requests by API key and visitor, or by IP address without a valid key. Throws RATE_LIMIT_EXCEEDED. */
  readonly count: RequestHandler;
}

interface RateLimiterContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RateLimits;
}

/** Limits requests over all processes; see docs/decisions/2026-11-22-visitors-of-a-key.md. */
export function createRateLimiter({ db, clock, logger, limits }: RateLimiterContext): RateLimiter {
  const refused = createRefusedCallers(clock);
  const windowMs = limits.windowSeconds * 1000;
  const count = rateLimit({
    windowMs,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'default',
    limit: (_request, response) => limitOf(response, limits),
    keyGenerator: (request, response) => JSON.stringify(counted(request, response, limitOf(response, limits))),
    store: sharedStore(createRequestCounter(db, clock, windowMs), refused),
    handler: (request, response, next) => {
      const retryAfterSeconds = Number(response.get('Retry-After'));
      refused.add(credentialsOf(request), new Date(clock.now() + retryAfterSeconds * 1000));
      next(new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds }));
    },
  });
  return {
    refuseFromMemory(request, _response, next) {
      requireNotRefused(refused.refusedUntil(credentialsOf(request)), clock);
      next();
    },
    count: passReadsDuringOutage(count, logger),
  };
}

/** Lets reads pass while requests cannot be counted. Changes and logins wait: a guess must not be free. Throws SERVICE_NOT_READY. */
function passReadsDuringOutage(count: RequestHandler, logger: Logger): RequestHandler {
  return (request, response, next) =>
    count(request, response, (error?: unknown) => {
      if (error === undefined || error instanceof ServiceError) {
        next(error);
        return;
      }
      logger.error({ error }, 'requests cannot be counted');
      const details = { waitingFor: 'the counts of requests', retryAfterSeconds: 5 };
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      next(isRead ? undefined : new ServiceError('SERVICE_NOT_READY', details, { cause: error }));
    });
}

/** Limits the probes of an IP address in this process, without the database. Throws RATE_LIMIT_EXCEEDED. */
export function probeRateLimiter(): RequestHandler {
  return rateLimit({
    windowMs: 10_000,
    limit: 200,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: (_request, response, next) => {
      next(new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: Number(response.get('Retry-After')) }));
    },
  });
}

function limitOf(response: Response, limits: RateLimits): number {
  const { authentication } = response.locals as RequestLocals;
  if (authentication?.kind !== 'valid') return limits.perCaller;
  if (authentication.rateLimit !== null) return authentication.rateLimit;
  return authentication.caller.roles.includes('ADMIN') ? limits.perAdmin : limits.perCaller;
}

/** Whom a request is counted for. */
interface Counted {
  /** The API key, or the IP address without a valid one. */
  readonly caller: string;
  /** The wallet that is logged in, or the IP address without one, that uses the key; null without a valid key. */
  readonly visitor: string | null;
  readonly ip: string;
  readonly limit: number;
}

function counted(request: Request, response: Response, limit: number): Counted {
  const { authentication } = response.locals as RequestLocals;
  const ip = `ip:${ipOf(request)}`;
  if (authentication?.kind !== 'valid') return { caller: ip, visitor: null, ip, limit };
  const { apiKeyId, wallet } = authentication.caller;
  const caller = `key:${apiKeyId}`;
  return { caller, visitor: `${caller} ${wallet === null ? ip : `wallet:${wallet}`}`, ip, limit };
}

/** Counts in Postgres, so that the limit applies to all processes together. The library passes a store only the text of a key. */
function sharedStore(counter: RequestCounter, refused: RefusedCallers): Store {
  const neverCalled = () => {
    throw new Error('requests are only counted up');
  };
  return {
    localKeys: false,
    async increment(text) {
      const asked = JSON.parse(text) as Counted;
      const { caller, visitor, limit } = asked;
      const until = refused.refusedUntil(visitor ?? caller);
      if (until !== null) return { totalHits: limit + 1, resetTime: until };
      const [total, own] = await Promise.all([counter(caller), visitor === null ? null : counter(visitor)]);
      const isWithin = total.hits <= limit || (own !== null && (await hasGuarantee(counter, asked, own.hits)));
      if (!isWithin) refused.add(visitor ?? caller, total.resetsAt);
      return { totalHits: isWithin ? Math.min(total.hits, limit) : limit + 1, resetTime: total.resetsAt };
    },
    decrement: neverCalled,
    resetKey: neverCalled,
  };
}

/**
 * Whether a visitor with so many requests is served although its key has reached the limit. Wallets cost nothing, so an IP address
 * may use no more of the reserve than one visitor.
 */
async function hasGuarantee(counter: RequestCounter, { caller, ip, limit }: Counted, hits: number): Promise<boolean> {
  const guaranteed = Math.max(1, Math.floor(limit * GUARANTEED_SHARE));
  if (hits > guaranteed) return false;
  const ofIp = await counter(`${caller} reserve ${ip}`);
  if (ofIp.hits > guaranteed) return false;
  const reserve = await counter(`${caller} reserve`);
  return reserve.hits <= Math.floor(limit * RESERVED_SHARE);
}
