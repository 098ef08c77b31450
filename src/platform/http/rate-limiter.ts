import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Db } from '../database/database.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Clock } from '../units/time.ts';
import { credentialsOf, ipOf } from './client-address.ts';
import { type RequestCount, type RequestCounts, createRequestCounts } from './request-counts.ts';
import type { RequestLocals } from './request-locals.ts';
import { evictOldest } from '../async.ts';

/** Maximum numbers of requests in a time window. */
export interface RateLimits {
  readonly perCaller: number;
  readonly perAdmin: number;
  readonly windowSeconds: number;
}

/** The limits of the spec ("Limits"). */
export const specRateLimits: RateLimits = { perCaller: 100, perAdmin: 1000, windowSeconds: 900 };

const WRITE_MS = 500;
/** GET requests are counted in memory while more of a limit are left: more than come until the next write. */
const LEFT_FOR_OTHERS = 1_000;
/** Share of a key's limit that each of its clients may use even when the others have used up the key. */
const GUARANTEED_SHARE = 0.1;
/** Share of a key's limit that all its clients together may use beyond it. */
const RESERVED_SHARE = 0.5;

/** The steps of the rate limit, before and after the caller is known. */
export interface RateLimiter {
  /** Refuses callers that were refused a moment ago, without a query. */
  readonly refuseFromMemory: RequestHandler;
  /**
   * Counts requests by API key and client, or by IP address without a valid key. Throws RATE_LIMIT_EXCEEDED; SERVICE_NOT_READY for a
   * change that cannot be counted.
   */
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

/** Limits requests over all processes; see docs/adr/0024-limits-of-requests.md. */
export function createRateLimiter({ db, clock, logger, limits, onClose }: RateLimiterContext): RateLimiter {
  const refused = createRefusedCallers(clock);
  const counts = createRequestCounts(db, clock, limits.windowSeconds * 1000);
  onClose?.(writeRegularly(counts, logger));

  /** When a caller above its limit may try again; null for one that is served. */
  async function refusedUntil(asked: Counted, response: Response, isRead: boolean): Promise<Date | null> {
    const { caller, client, limit } = asked;
    const setHeaders = (requests: number, until: Date) => {
      setRateLimitHeaders(response, asked, { requests, seconds: secondsUntil(until, clock), limits });
    };
    const known = refused.refusedUntil(() => client ?? caller);
    if (known !== null) {
      setHeaders(0, known);
      return known;
    }
    const callers = client === null ? [caller] : [caller, client];
    const inMemory = isRead ? counts.countInMemory(callers, limit - LEFT_FOR_OTHERS) : null;
    const [ofCaller, ofClient] = inMemory ? [inMemory] : await counts.count(callers);
    const { hits, resetsAt } = ofCaller as RequestCount;
    setHeaders(Math.max(0, limit - hits), resetsAt);
    if (hits <= limit || (ofClient && (await hasGuarantee(counts, asked, ofClient.hits)))) return null;
    refused.add(client ?? caller, resetsAt);
    return resetsAt;
  }

  return {
    refuseFromMemory(request, _response, next) {
      requireNotRefused(
        refused.refusedUntil(() => credentialsOf(request)),
        clock,
      );
      next();
    },
    async count(request, response, next) {
      const { authentication } = response.locals as RequestLocals;
      const asked = counted(request, authentication, limits);
      const isRead = isReading(request);
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

/** Writes the counts again and again; returns a function that does so for the last time. */
function writeRegularly(counts: RequestCounts, logger: Logger): () => Promise<void> {
  const write = () =>
    counts.write().catch((error: unknown) => {
      logger.warn({ error }, 'some request counts were not written');
    });
  const timer = setInterval(() => void write(), WRITE_MS).unref();
  return () => {
    clearInterval(timer);
    return write();
  };
}

function secondsUntil(end: Date, clock: Clock): number {
  return Math.max(0, Math.ceil((end.getTime() - clock.now()) / 1000));
}

/** Lets reads pass while requests cannot be counted. Changes and logins wait: a guess must not be free. */
function requirePassedDuringOutage(error: unknown, isRead: boolean, logger: Logger): void {
  logger.error({ error }, 'request counts are not available');
  const details = { waitingFor: 'the request counts', retryAfterSeconds: 5 };
  if (!isRead) throw new ServiceError('SERVICE_NOT_READY', details, { cause: error });
}

/** Limits the probes of an IP address in this process, without the database. */
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

/** Whom a request is counted for. */
interface Counted {
  /** The API key, or the IP address without a valid one. */
  readonly caller: string;
  /** Who uses the key; null without a valid key. */
  readonly client: string | null;
  readonly ip: string;
  /** Of the caller. */
  readonly limit: number;
}

function counted(request: Request, authentication: RequestLocals['authentication'], limits: RateLimits): Counted {
  const limit = limitOf(authentication, limits);
  const ip = `ip:${ipOf(request)}`;
  if (authentication?.kind !== 'valid') return { caller: ip, client: null, ip, limit };
  const { apiKeyId, wallet } = authentication.caller;
  const caller = `key:${apiKeyId}`;
  return { caller, client: `${caller} ${wallet === null ? ip : `wallet:${wallet}`}`, ip, limit };
}

/**
 * Whether a client with so many requests is served although its key has reached the limit. Wallets cost nothing, so an IP address
 * may use no more of the reserve than one client.
 */
async function hasGuarantee(counts: RequestCounts, { caller, ip, limit }: Counted, hits: number): Promise<boolean> {
  const guaranteed = Math.max(1, Math.floor(limit * GUARANTEED_SHARE));
  if (hits > guaranteed) return false;
  const hitsOf = async (name: string) => (await counts.count([name]))[0]?.hits ?? Infinity;
  if ((await hitsOf(`${caller} reserve ${ip}`)) > guaranteed) return false;
  return (await hitsOf(`${caller} reserve`)) <= Math.floor(limit * RESERVED_SHARE);
}

interface Rest {
  /** What is left of the limit. */
  readonly requests: number;
  /** Until the window ends. */
  readonly seconds: number;
  readonly limits: RateLimits;
}

/** Sets `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). */
function setRateLimitHeaders(response: Response, { caller, client, limit }: Counted, rest: Rest): void {
  const digest = hash('sha256', JSON.stringify([caller, client, limit]), 'hex').slice(0, 12);
  const partition = Buffer.from(digest).toString('base64');
  response.setHeader('RateLimit', `"default"; r=${rest.requests}; t=${rest.seconds}`);
  response.setHeader('RateLimit-Policy', `"default"; q=${limit}; w=${rest.limits.windowSeconds}; pk=:${partition}:`);
}

/** Callers above their limit, kept in the process so that refusing them again costs no query. */
export interface RefusedCallers {
  /** When a caller may try again; null for a caller that is not known as refused. Who it is is not asked while there is none. */
  readonly refusedUntil: (nameOf: () => string) => Date | null;
  readonly add: (caller: string, until: Date) => void;
}

/** The longest-known callers are forgotten first; each then costs one query. */
const MAX_CALLERS = 10_000;
/** After that long the caller is counted again, because its limit may have been raised meanwhile. */
const REMEMBERED_MS = 10_000;

export function createRefusedCallers(clock: Clock): RefusedCallers {
  const refused = new Map<string, { readonly until: Date; readonly since: number }>();
  return {
    refusedUntil(nameOf) {
      if (refused.size === 0) return null;
      const digest = digestOf(nameOf());
      const entry = refused.get(digest);
      if (!entry) return null;
      const now = clock.now();
      // A clock that goes back makes nobody wait for longer.
      if (entry.since <= now && now < Math.min(entry.until.getTime(), entry.since + REMEMBERED_MS)) return entry.until;
      refused.delete(digest);
      return null;
    },
    add(caller, until) {
      const digest = digestOf(caller);
      refused.delete(digest);
      refused.set(digest, { until, since: clock.now() });
      evictOldest(refused, MAX_CALLERS);
    },
  };
}

/** Callers are kept by a digest: their headers hold secrets, and may be long. */
export function digestOf(caller: string): string {
  return hash('sha256', caller, 'base64url');
}

/** Throws RATE_LIMIT_EXCEEDED for a caller that is refused until an instant; null refuses nothing. */
export function requireNotRefused(until: Date | null, clock: Clock): void {
  if (until === null) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - clock.now()) / 1000));
  throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds });
}
