export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface KindOfRoute {
  /** The requests of one caller that wait for each other. */
  readonly concurrency: 'reads' | 'reports' | 'changes' | 'unlimited';
  /**
   * How a repeated request with the same Idempotency-Key gets the first response: it is looked up before the change, with all changes of
   * the batch, or by each item of the request. 'not accepted': the header has no effect.
   */
  readonly idempotencyKey: 'alone' | 'in batch' | 'each item' | 'not accepted';
  /** What counts requests. Probes are counted by each process alone, because Postgres may be down. */
  readonly rateLimit: 'shared' | 'in process' | 'none';
}

/** What the router, the rate limiter and the OpenAPI document do with each kind of route. */
export const routeKinds = {
  /** Of GET, unless a route says otherwise. */
  read: { concurrency: 'reads', idempotencyKey: 'not accepted', rateLimit: 'shared' },
  /** Reads everything that a vault ever had. */
  report: { concurrency: 'reports', idempotencyKey: 'not accepted', rateLimit: 'shared' },
  'liveness probe': { concurrency: 'reads', idempotencyKey: 'not accepted', rateLimit: 'none' },
  'readiness probe': { concurrency: 'reads', idempotencyKey: 'not accepted', rateLimit: 'in process' },
  /** Of the other methods, unless a route says otherwise. */
  change: { concurrency: 'changes', idempotencyKey: 'alone', rateLimit: 'shared' },
  /** Recorded in one transaction with other changes, for which any number of them wait together. */
  'batched change': { concurrency: 'unlimited', idempotencyKey: 'in batch', rateLimit: 'shared' },
  /** Its response is stored nowhere, because it holds a secret or is of no use later. */
  'unrecorded change': { concurrency: 'changes', idempotencyKey: 'not accepted', rateLimit: 'shared' },
  /** Holds other requests. If they counted as its own, it would wait for itself. */
  batch: { concurrency: 'unlimited', idempotencyKey: 'each item', rateLimit: 'shared' },
} as const satisfies Record<string, KindOfRoute>;

export type RouteKind = keyof typeof routeKinds;

/** Whether the route accepts an Idempotency-Key, so that a repeated request gets the response of the first one. */
export function acceptsIdempotencyKey({ kind }: { readonly kind: RouteKind }): boolean {
  return routeKinds[kind].idempotencyKey !== 'not accepted';
}
