import { hash } from 'node:crypto';
import type { Response } from 'express';
import { forgetOldest } from '../async/forget-oldest.ts';
import type { CountedRequest } from './leased-counts.ts';

/** Of those whose headers were made; the longest-known are made anew. */
const MAX_POLICIES = 10_000;

/** What is left of a limit. */
interface Rest {
  readonly requests: number;
  /** Until the window ends. */
  readonly seconds: number;
}

/** Returns a function that sets `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). */
export function rateLimitHeaders(windowSeconds: number) {
  const policies = new Map<string, string>();
  const policyOf = ({ caller, visitor, limit }: CountedRequest): string => {
    const counted = JSON.stringify([caller, visitor, limit]);
    const known = policies.get(counted);
    if (known !== undefined) return known;
    const digest = hash('sha256', counted, 'hex').slice(0, 12);
    const partition = Buffer.from(digest).toString('base64');
    const policy = `"default"; q=${limit}; w=${windowSeconds}; pk=:${partition}:`;
    policies.set(counted, policy);
    forgetOldest(policies, MAX_POLICIES);
    return policy;
  };
  return (response: Response, counted: CountedRequest, { requests, seconds }: Rest): void => {
    response.setHeader('RateLimit', `"default"; r=${requests}; t=${seconds}`);
    response.setHeader('RateLimit-Policy', policyOf(counted));
  };
}
