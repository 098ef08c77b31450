import type { Clock } from '../units/clock.ts';
import type { RateCount, RequestCounter } from './queries/rate-limits.ts';
import type { UnusedRequests } from './queries/unused-requests.ts';
import {
  beginGrowth,
  emptyLease,
  endGrowth,
  endLease,
  growLease,
  leaveUnsettled,
  type RequestLease,
  takeUnsettled,
  useLease,
} from './request-lease.ts';

/** Whom a request is counted for. */
export interface CountedRequest {
  /** The API key, or the IP address without a valid one. */
  readonly caller: string;
  /** Who uses the key; null without a valid key. */
  readonly visitor: string | null;
  /** Of the caller. */
  readonly limit: number;
  /** Whether a session raises the limit above that of the key, whose other visitors a lease of this size would shut out. */
  readonly isRaised: boolean;
}

/** The requests in the current window, with this one. */
export interface LeasedCount {
  readonly ofCaller: RateCount;
  /** Of the visitor; null when it was not asked for, because the caller is within its limit. */
  readonly ofVisitor: number | null;
}

export interface LeasedCounts {
  /** Counts a request; one that may not use a lease is counted in Postgres. Rejects when Postgres is needed and cannot be reached. */
  readonly count: (request: CountedRequest, mayUseLease: boolean) => Promise<LeasedCount>;
  /** Writes what is not in Postgres yet, and gives back leases that no request used since the last time; all of them `atLast`. */
  readonly settle: (atLast?: boolean) => Promise<void>;
}

/**
 * Counts requests over all processes. A process counts some requests of a caller before they come (a lease), and admits these without
 * a statement; the more `processes` there are, the fewer: see docs/decisions/2026-11-22-leased-request-counts.md.
 */
export function createLeasedCounts(counter: RequestCounter, clock: Clock, processes: number): LeasedCounts {
  const leases = new Map<string, RequestLease>();
  const current = ({ caller, limit, isRaised }: CountedRequest): RequestLease | null => {
    const lease = isRaised ? undefined : leases.get(caller);
    return lease?.limit === limit && clock.now() < lease.resetsAt.getTime() ? lease : null;
  };

  async function countInPostgres(request: CountedRequest, known: RequestLease | null): Promise<LeasedCount> {
    const { caller, limit } = request;
    const { total, own, spare } = await countAndGrow(counter, request, known);
    const { resetsAt } = total;
    if (request.isRaised) return { ofCaller: total, ofVisitor: own };
    const held = leases.get(caller);
    const isHeld = held?.limit === limit && held.resetsAt.getTime() === resetsAt.getTime();
    const lease = isHeld ? held : emptyLease({ limit, resetsAt, most: mostLeased(limit, processes) });
    leases.set(caller, lease);
    const hits = total.hits - spare;
    if (growLease(lease, hits, spare)) return { ofCaller: { hits: limit, resetsAt }, ofVisitor: null };
    return { ofCaller: { hits, resetsAt }, ofVisitor: own };
  }

  async function settleVisitors(caller: string, lease: RequestLease): Promise<void> {
    const visitors = [...lease.unsettled];
    lease.unsettled.clear();
    // A window that has ended needs no counts, and the next one must not get them.
    if (visitors.length === 0 || clock.now() >= lease.resetsAt.getTime()) return;
    await counter.count(visitors.map(([visitor, hits]) => ({ caller: visitor, hits }))).catch((error: unknown) => {
      const kept = leases.get(caller) ?? lease;
      for (const [visitor, hits] of visitors) leaveUnsettled(kept, visitor, hits);
      leases.set(caller, kept);
      throw error;
    });
  }

  return {
    async count(request, mayUseLease) {
      const lease = current(request);
      if (!mayUseLease || lease === null || lease.free === 0) return countInPostgres(request, lease);
      useLease(lease, request.visitor);
      // Refused requests are counted too, so the count may be above the limit that the lease is part of.
      const hits = Math.min(lease.hits, lease.limit);
      return { ofCaller: { hits, resetsAt: lease.resetsAt }, ofVisitor: null };
    },
    async settle(atLast = false) {
      const settled = [...leases];
      const unused = endUnused(leases, atLast);
      const writing = settled.map(([caller, lease]) => settleVisitors(caller, lease));
      await Promise.all([counter.takeBack(unused), ...writing]);
    },
  };
}

/** All processes but one lease at most 1 % of a limit together, and none more than half of that. */
function mostLeased(limit: number, processes: number): number {
  return limit / (100 * Math.max(2, processes - 1));
}

/** Ends the leases that no request used since the last time; all of them `atLast`. */
function endUnused(leases: Map<string, RequestLease>, atLast: boolean): UnusedRequests[] {
  const ended: UnusedRequests[] = [];
  for (const [caller, lease] of leases) {
    if (atLast || !lease.isUsed) {
      const hits = endLease(lease);
      if (hits > 0) ended.push({ caller, hits, resetsAt: lease.resetsAt });
      leases.delete(caller);
    }
    lease.isUsed = false;
  }
  return ended;
}

interface Counted {
  /** With `spare`. */
  readonly total: RateCount;
  readonly own: number | null;
  readonly spare: number;
}

/** Counts a request and, for a lease that is used up, requests that will come. */
async function countAndGrow(
  counter: RequestCounter,
  { caller, visitor }: CountedRequest,
  lease: RequestLease | null,
): Promise<Counted> {
  const spare = beginGrowth(lease);
  const earlier = takeUnsettled(lease, visitor);
  try {
    const ofVisitor = visitor === null ? [] : [{ caller: visitor, hits: 1 + earlier }];
    const [total, own] = await counter.count([{ caller, hits: 1 + spare }, ...ofVisitor]);
    if (!total) throw new Error(`${caller} was not counted`);
    return { total, own: own?.hits ?? null, spare };
  } catch (error) {
    leaveUnsettled(lease, visitor, earlier);
    throw error;
  } finally {
    endGrowth(lease, spare);
  }
}
