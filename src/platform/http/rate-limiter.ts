import { rateLimit } from 'express-rate-limit';
import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../units/clock.ts';
import { ServiceError } from '../errors/errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Db } from '../database/database.ts';
import { createRequestCounter, type RequestCounter } from './queries/rate-limits.ts';
import { createEarlyCounts, type EarlyCounts } from './early-counts.ts';
import { ipOf } from './client-address.ts';
import { credentialsOf } from './failed-credentials.ts';
import { type CountedRequest, createLeasedCounts, type LeasedCounts } from './leased-counts.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { createRefusedCallers, type RefusedCallers, requireNotRefused } from './refused-callers.ts';
import type { RequestLocals } from './request-locals.ts';

/** Maximum numbers of requests in a time window. */
export interface RateLimits {
  readonly perCaller: number;
  readonly perAdmin: number;
  readonly windowSeconds: number;
  /** How many processes count together. */
  readonly processes: number;
}

/** The limits of the spec ("Limits"). */
export const specRateLimits: RateLimits = { perCaller: 100, perAdmin: 1000, windowSeconds: 900, processes: 1 };

/** Share of a key's limit that each of its visitors may use even when the others have used up the key. */
const GUARANTEED_SHARE = 0.1;
/** Share of a key's limit that all its visitors together may use beyond it. */
const RESERVED_SHARE = 0.5;

/** The steps of the rate limit, before and after the caller is known. */
export interface RateLimiter {
  /** Refuses callers that were refused a moment ago, without a query. Throws RATE_LIMIT_EXCEEDED. */
  readonly refuseFromMemory: RequestHandler;
  /** Begins to count changes of callers who were known a moment ago. */
  readonly countEarly: RequestHandler;
  /** Counts requests by API key and visitor, or by IP address without a valid key. Throws RATE_LIMIT_EXCEEDED. */
  readonly count: RequestHandler;
}

interface RateLimiterContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RateLimits;
  /** Is given what must be done before the database closes. */
  readonly onClose?: ((close: () => Promise<void>) => void) | undefined;
}

const SETTLE_MS = 500;

/** Limits requests over all processes; see docs/decisions/2026-11-22-visitors-of-a-key.md and 2026-11-22-leased-request-counts.md. */
export function createRateLimiter({ db, clock, logger, limits, onClose }: RateLimiterContext): RateLimiter {
  const refused = createRefusedCallers(clock);
  const counter = createRequestCounter(db, clock, limits.windowSeconds * 1000);
  const counts = createLeasedCounts(counter, clock, limits.processes);
  onClose?.(settleRegularly(counts, logger));
  const setHeaders = rateLimitHeaders(limits.windowSeconds);

  const early = createEarlyCounts((asked) => counts.count(asked, false));

  async function refusedUntil(asked: Counted, response: Response, isRead: boolean): Promise<Date | null> {
    const { caller, visitor, limit } = asked;
    const known = refused.refusedUntil(() => visitor ?? caller);
    if (known !== null) {
      setHeaders(response, asked, { requests: 0, seconds: secondsUntil(known, clock) });
      return known;
    }
    const { ofCaller, ofVisitor } = await (isRead ? counts.count(asked, true) : early.count(response.req, asked));
    const requests = Math.max(0, limit - ofCaller.hits);
    setHeaders(response, asked, { requests, seconds: secondsUntil(ofCaller.resetsAt, clock) });
    if (ofCaller.hits <= limit || (ofVisitor !== null && (await hasGuarantee(counter, asked, ofVisitor)))) return null;
    refused.add(visitor ?? caller, ofCaller.resetsAt);
    return ofCaller.resetsAt;
  }

  return {
    refuseFromMemory(request, _response, next) {
      requireNotRefused(
        refused.refusedUntil(() => credentialsOf(request)),
        clock,
      );
      next();
    },
    countEarly: earlyStep(early, refused, limits),
    async count(request, response, next) {
      const { authentication } = response.locals as RequestLocals;
      const asked = counted(request, authentication, limits);
      const isRead = isReading(request);
      if (!isRead && authentication?.kind === 'valid') early.remember(request, authentication);
      let until: Date | null = null;
      try {
        until = await refusedUntil(asked, response, isRead);
      } catch (error) {
        requirePassedDuringOutage(error, isRead, logger);
      }
      if (until !== null) refused.add(credentialsOf(request), until);
      requireNotRefused(until, clock);
      next();
    },
  };
}

function earlyStep(early: EarlyCounts, refused: RefusedCallers, limits: RateLimits): RequestHandler {
  return (request, _response, next) => {
    const authentication = isReading(request) ? null : early.lastKnown(request);
    const asked = authentication && counted(request, authentication, limits);
    if (asked && refused.refusedUntil(() => asked.visitor ?? asked.caller) === null) early.begin(request, asked);
    next();
  };
}

/** Settles the counts again and again; returns a function that does so for the last time. */
function settleRegularly(counts: LeasedCounts, logger: Logger): () => Promise<void> {
  const settle = (atLast?: boolean) =>
    counts.settle(atLast).catch((error: unknown) => {
      logger.warn({ error }, 'some counts of requests were not written');
    });
  const timer = setInterval(() => void settle(), SETTLE_MS).unref();
  return () => {
    clearInterval(timer);
    return settle(true);
  };
}

function secondsUntil(end: Date, clock: Clock): number {
  return Math.max(0, Math.ceil((end.getTime() - clock.now()) / 1000));
}

/** Lets reads pass while requests cannot be counted. Changes and logins wait: a guess must not be free. Throws SERVICE_NOT_READY. */
function requirePassedDuringOutage(error: unknown, isRead: boolean, logger: Logger): void {
  logger.error({ error }, 'requests cannot be counted');
  const details = { waitingFor: 'the counts of requests', retryAfterSeconds: 5 };
  if (!isRead) throw new ServiceError('SERVICE_NOT_READY', details, { cause: error });
}

/** Limits the probes of an IP address in this process, without the database. Throws RATE_LIMIT_EXCEEDED. */
export function probeRateLimiter(): RequestHandler {
  return rateLimit({
    windowMs: 10_000,
    limit: 200,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // It would warn that the addresses of proxies are not set up as express does it.
    validate: { xForwardedForHeader: false },
    handler: (_request, response, next) => {
      next(new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: Number(response.get('Retry-After')) }));
    },
  });
}

function isReading({ method }: Pick<Request, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

function limitOf(authentication: RequestLocals['authentication'], limits: RateLimits): number {
  if (authentication?.kind !== 'valid') return limits.perCaller;
  if (authentication.rateLimit !== null) return authentication.rateLimit;
  return authentication.caller.roles.includes('ADMIN') ? limits.perAdmin : limits.perCaller;
}

/** Whom a request is counted for, and from where it comes. */
interface Counted extends CountedRequest {
  readonly ip: string;
}

function counted(request: Request, authentication: RequestLocals['authentication'], limits: RateLimits): Counted {
  const limit = limitOf(authentication, limits);
  const ip = `ip:${ipOf(request)}`;
  if (authentication?.kind !== 'valid') return { caller: ip, visitor: null, ip, limit, isRaised: false };
  const { apiKeyId, wallet, roles } = authentication.caller;
  const isRaised = authentication.rateLimit === null && wallet !== null && roles.includes('ADMIN');
  const caller = `key:${apiKeyId}`;
  return { caller, visitor: `${caller} ${wallet === null ? ip : `wallet:${wallet}`}`, ip, limit, isRaised };
}

/**
 * Whether a visitor with so many requests is served although its key has reached the limit. Wallets cost nothing, so an IP address
 * may use no more of the reserve than one visitor.
 */
async function hasGuarantee(counter: RequestCounter, { caller, ip, limit }: Counted, hits: number): Promise<boolean> {
  const guaranteed = Math.max(1, Math.floor(limit * GUARANTEED_SHARE));
  if (hits > guaranteed) return false;
  const hitsOf = async (name: string) => (await counter.count([{ caller: name, hits: 1 }]))[0]?.hits ?? Infinity;
  if ((await hitsOf(`${caller} reserve ${ip}`)) > guaranteed) return false;
  return (await hitsOf(`${caller} reserve`)) <= Math.floor(limit * RESERVED_SHARE);
}
