import type { Registry } from 'prom-client';
import { wallClock } from './platform/units/time.ts';
import type { Logger } from './platform/observability/logger.ts';
import { type MeasuredRequest, backlog, requestDuration } from './platform/observability/metrics.ts';
import { recordVersionUsage } from './platform/observability/version-usage.ts';
import { warn } from './dependencies.ts';
import type { Db } from './platform/database/database.ts';
import { addVersionUsage } from './versions/queries.ts';
import { showOperatorFunds } from './platform/observability/worker-metrics.ts';
import { readOperatorFunds } from './operations/operator-funds.ts';
import { readBacklog } from './operations/queries.ts';

interface ObserverOptions {
  readonly registry: Registry;
  readonly db: Db;
  readonly logger: Logger;
}

/** What is kept of each request of a process. */
interface RequestObserver {
  readonly observe: (request: MeasuredRequest) => void;
  /** Saves what is not saved yet. */
  close(): Promise<void>;
}

/** Measures requests, and counts which version of the API they use. */
export function observeRequests({ registry, db, logger }: ObserverOptions): RequestObserver {
  const recordDuration = requestDuration(registry);
  const usage = recordVersionUsage({
    clock: wallClock,
    save: (counts) => addVersionUsage(db, counts),
    onError: warn(logger, 'the usage of versions could not be saved; it is saved later'),
  });
  return {
    observe(request) {
      recordDuration(request);
      usage.record(request);
    },
    close: () => usage.close(),
  };
}

/** Returns a function that reads what Postgres says into the metrics. */
export function stateMetrics(registry: Registry, db: Db): () => Promise<void> {
  const showBacklog = backlog(registry, () => readBacklog(db));
  const showFunds = showOperatorFunds(registry, () => readOperatorFunds(db));
  return async () => {
    await Promise.all([showBacklog(), showFunds()]);
  };
}
