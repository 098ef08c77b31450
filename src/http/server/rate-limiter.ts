import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import type { Request, Response } from 'express';
import type { Clock } from '../../domain/units/clock.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Db } from '../../store/database.ts';
import { coalesce } from '../../store/coalesce.ts';
import { countRequests } from '../../store/rate-limits.ts';
import type { RequestLocals } from './request-locals.ts';

/** Maximum numbers of requests in a time window. */
export interface RateLimits {
  readonly perCaller: number;
  readonly perAdmin: number;
  readonly windowSeconds: number;
}

/** The limits of the spec ("Limits"). */
export const specRateLimits: RateLimits = { perCaller: 100, perAdmin: 1000, windowSeconds: 900 };

/** Counts requests by API key, or by IP address without a valid key. Throws RATE_LIMIT_EXCEEDED above the limit. */
export function rateLimiter({ db, clock, limits }: { db: Db; clock: Clock; limits: RateLimits }) {
  return rateLimit({
    windowMs: limits.windowSeconds * 1000,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'default',
    limit: (_request, response) => limitOf(response, limits),
    keyGenerator: callerOf,
    store: sharedCounter(db, clock, limits.windowSeconds * 1000),
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

function callerOf(request: Request, response: Response): string {
  const { authentication } = response.locals as RequestLocals;
  if (authentication?.kind === 'valid') return `key:${authentication.caller.apiKeyId}`;
  return `ip:${ipKeyGenerator(request.ip ?? 'unknown')}`;
}

/** Counts in Postgres, so that the limit applies to all processes together. */
function sharedCounter(db: Db, clock: Clock, windowMs: number): Store {
  const neverCalled = () => {
    throw new Error('requests are only counted up');
  };
  return {
    localKeys: false,
    // Counted together, because separate updates of one caller's row would wait for each other's commits.
    increment: coalesce(async (callers: readonly string[]) => {
      const now = new Date(clock.now());
      const counts = new Map<string, { totalHits: number; resetTime: Date }>();
      const count = async ([caller, { length: requests }]: [string, readonly string[]]) => {
        const { hits, resetsAt } = await countRequests(db, { caller, requests }, now, windowMs);
        counts.set(caller, { totalHits: hits - requests, resetTime: resetsAt });
      };
      await Promise.all([...Map.groupBy(callers, (caller) => caller)].map(count));
      return (caller) => {
        const counted = counts.get(caller);
        if (!counted) throw new Error(`${caller} was not counted`);
        counted.totalHits += 1;
        return { ...counted };
      };
    }),
    decrement: neverCalled,
    resetKey: neverCalled,
  };
}
