/** At most this share of what is left of a limit is leased at once: other processes cannot admit it meanwhile. */
const SHARE_OF_REST = 1 / 20;

/** Requests of a caller that Postgres counted before they come to this process, until the window ends. */
export interface RequestLease {
  readonly limit: number;
  readonly resetsAt: Date;
  /** The most that is leased at once. */
  readonly most: number;
  /** Requests of the caller that have come, as far as this process knows. */
  hits: number;
  /** Requests that may come. */
  free: number;
  /** Requests that were counted beyond the limit and may not come. */
  excess: number;
  /** Requests by visitor that are not counted in Postgres yet. */
  readonly unsettled: Map<string, number>;
  /** Since the last settling. */
  isUsed: boolean;
  /** A statement counts more requests. */
  isGrowing: boolean;
}

export function emptyLease({ limit, resetsAt, most }: Pick<RequestLease, 'limit' | 'resetsAt' | 'most'>): RequestLease {
  const nothing = { hits: 0, free: 0, excess: 0, unsettled: new Map<string, number>() };
  return { limit, resetsAt, most, ...nothing, isUsed: true, isGrowing: false };
}

/** How many requests to count before they come, together with one that has come; one statement at a time counts more. */
export function beginGrowth(lease: RequestLease | null): number {
  if (lease === null || lease.free > 0 || lease.isGrowing) return 0;
  const share = Math.min(lease.most, (lease.limit - lease.hits) * SHARE_OF_REST);
  const spare = Math.max(0, Math.floor(share));
  lease.isGrowing = spare > 0;
  return spare;
}

export function endGrowth(lease: RequestLease | null, spare: number): void {
  if (lease && spare > 0) lease.isGrowing = false;
}

/** Admits a request without a statement. */
export function useLease(lease: RequestLease, visitor: string | null): void {
  lease.free -= 1;
  lease.hits += 1;
  lease.isUsed = true;
  leaveUnsettled(lease, visitor, 1);
}

export function leaveUnsettled(lease: RequestLease | null, visitor: string | null, hits: number): void {
  if (lease && visitor !== null && hits > 0) lease.unsettled.set(visitor, (lease.unsettled.get(visitor) ?? 0) + hits);
}

/** The requests of a visitor that are still to be counted; they are forgotten here. */
export function takeUnsettled(lease: RequestLease | null, visitor: string | null): number {
  if (lease === null || visitor === null) return 0;
  const hits = lease.unsettled.get(visitor) ?? 0;
  lease.unsettled.delete(visitor);
  return hits;
}

/**
 * Adds what a statement counted: `hits` up to and with a request that has come, and `spare` more. Returns whether that request is above
 * the limit, but admitted from the lease: all that is left of the limit is in it.
 */
export function growLease(lease: RequestLease, hits: number, spare: number): boolean {
  const isFromLease = hits > lease.limit && lease.free > 0;
  const free = Math.min(spare, Math.max(0, lease.limit - hits));
  lease.hits = hits - lease.free - lease.excess;
  lease.free += free - (isFromLease ? 1 : 0);
  lease.excess += spare - free + (isFromLease ? 1 : 0);
  lease.isUsed = true;
  return isFromLease;
}

/** Empties the lease; returns how many counted requests did not come. */
export function endLease(lease: RequestLease): number {
  const unused = lease.free + lease.excess;
  [lease.free, lease.excess] = [0, 0];
  return unused;
}
