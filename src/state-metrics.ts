import type { Registry } from 'prom-client';
import { backlog } from './platform/observability/metrics.ts';
import { showOperatorFunds } from './platform/observability/worker-metrics.ts';
import { readOperatorFunds } from './operations/operator-funds.ts';
import { readBacklog } from './operations/queries.ts';
import type { Db } from './platform/database/database.ts';

/** Returns a function that reads what Postgres says into the metrics. */
export function stateMetrics(registry: Registry, db: Db): () => Promise<void> {
  const showBacklog = backlog(registry, () => readBacklog(db));
  const showFunds = showOperatorFunds(registry, () => readOperatorFunds(db));
  return async () => {
    await Promise.all([showBacklog(), showFunds()]);
  };
}
