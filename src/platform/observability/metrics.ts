import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Unconfirmed, unconfirmedAnchorGauges } from '../../anchoring/anchor-metrics.ts';

/** Creates the metrics of a process, with its memory, event loop and garbage collection. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A request that has ended. */
export interface MeasuredRequest {
  readonly method: string;
  /** Template of the path, such as /api/v1/vaults/:vaultId; null when no operation matches. */
  readonly route: string | null;
  /** Null when the caller disconnected before the response. */
  readonly status: number | null;
  readonly seconds: number;
  /** The version of the API, as `v1.0.0`; null outside of the versioned paths. */
  readonly version: string | null;
  /** The valid API key of the request; null without one. */
  readonly apiKeyId: string | null;
}

/** Returns a function that records the duration of a request by route, method and class of status. */
export function requestDuration(registry: Registry): (request: MeasuredRequest) => void {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ method, route, status, seconds }) => {
    const statusClass = status === null ? 'aborted' : `${Math.floor(status / 100)}xx`;
    duration.observe({ method, route: route ?? 'none', status: statusClass }, seconds);
  };
}

/** Returns a function that counts the statements of a pool of database connections. */
export function statementCounter(registry: Registry): (pool: string) => () => void {
  const statements = new Counter({
    name: 'database_statements_total',
    help: 'Statements sent to Postgres, by pool: foreground for requests and activities, background for the rest',
    labelNames: ['pool'],
    registers: [registry],
  });
  return (pool) => {
    const ofPool = statements.labels(pool);
    return () => {
      ofPool.inc();
    };
  };
}

/** Returns a function that records the size of a batch of facts anchored together. */
export function anchorBatchSize(registry: Registry): (facts: number) => void {
  const size = new Histogram({
    name: 'anchor_batch_size',
    help: 'Writes that shared one database transaction and one anchor (group commit)',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000],
    registers: [registry],
  });
  return (facts) => {
    size.observe(facts);
  };
}

/**
 * Returns a function that records how late a transition of a vault or a proposal was committed, in seconds after it was due (design
 * §1.1).
 */
export function vaultTransitionLag(registry: Registry): (transition: string, seconds: number) => void {
  const lag = new Histogram({
    name: 'vault_transition_lag_seconds',
    help: 'Delay between the due time of a transition of a vault or a proposal and its commit',
    labelNames: ['transition'],
    buckets: [0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30, 60, 300, 3600],
    registers: [registry],
  });
  return (transition, seconds) => {
    lag.observe({ transition }, Math.max(0, seconds));
  };
}

/** What waits in Postgres, over all processes. */
export interface Backlog {
  readonly unsequencedEvents: number;
  readonly holds: ReadonlyMap<string, number>;
  readonly quarantined: number;
  readonly unconfirmedAnchors: Unconfirmed;
  /** The last one that ended; null before the first. */
  readonly reconciliation: {
    readonly endedAt: number | null;
    readonly differences: Readonly<Record<string, number>>;
  } | null;
  /** Of the vault that was compared with the ledger longest ago. */
  readonly oldestComparedAt: number | null;
}

/** Returns a function that reads the backlog into the metrics; without Postgres, `database_up` is 0 and the other metrics are left out. */
export function backlog(registry: Registry, read: () => Promise<Backlog>): () => Promise<void> {
  const registers = [registry];
  const isUp = new Gauge({
    name: 'database_up',
    help: 'Whether this process can reach Postgres (1 or 0)',
    registers,
  });
  const events = new Gauge({
    name: 'outbox_unsequenced_events',
    help: 'Committed events that have no sequence number yet',
    registers,
  });
  const holds = new Gauge({
    name: 'vault_holds',
    help: 'Vaults with an overdue change that waits, by reason',
    labelNames: ['reason'],
    registers,
  });
  const quarantined = new Gauge({
    name: 'quarantined_transactions',
    help: 'Transactions with an effect that could not be recorded and waits for an operator',
    registers,
  });
  const showUnconfirmed = unconfirmedAnchorGauges(registry);
  const showReconciliation = reconciliationGauges(registers);
  return async () => {
    const waiting = await read().catch(() => null);
    isUp.set(waiting ? 1 : 0);
    events.remove();
    quarantined.remove();
    holds.reset();
    showUnconfirmed(waiting?.unconfirmedAnchors ?? null);
    showReconciliation(waiting);
    if (waiting === null) return;
    events.set(waiting.unsequencedEvents);
    quarantined.set(waiting.quarantined);
    for (const [reason, count] of waiting.holds) holds.set({ reason }, count);
  };
}

/** Returns a function that shows the last reconciliation; without one, its metrics are left out. */
function reconciliationGauges(registers: Registry[]) {
  const differences = new Gauge({
    name: 'reconciliation_differences',
    help: 'Differences between records and ledger in the last reconciliation, by kind',
    labelNames: ['kind'],
    registers,
  });
  const ended = new Gauge({
    name: 'reconciliation_ended_timestamp_seconds',
    help: 'End of the last reconciliation, by the clock of the service',
    registers,
  });
  const oldest = new Gauge({
    name: 'reconciliation_oldest_comparison_timestamp_seconds',
    help: 'Time of the oldest comparison of a vault with the ledger',
    registers,
  });
  return (shown: Pick<Backlog, 'reconciliation' | 'oldestComparedAt'> | null): void => {
    differences.reset();
    ended.remove();
    oldest.remove();
    if (shown?.oldestComparedAt != null) oldest.set(shown.oldestComparedAt / 1000);
    const last = shown?.reconciliation;
    if (last?.endedAt == null) return;
    ended.set(last.endedAt / 1000);
    for (const [kind, count] of Object.entries(last.differences)) differences.set({ kind }, count);
  };
}
