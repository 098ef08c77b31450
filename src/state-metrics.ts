import type { Registry } from 'prom-client';
import { backlog } from './observability/metrics.ts';
import { showOperatorFunds } from './observability/operator-metrics.ts';
import { readOperatorFunds } from './services/operator/read-operator-funds.ts';
import { readBacklog } from './store/backlog.ts';
import type { Db } from './store/database.ts';

/** Returns a function that reads what Postgres says into the metrics. */
export function stateMetrics(registry: Registry, db: Db): () => Promise<void> {
  const showBacklog = backlog(registry, () => readBacklog(db));
  const showFunds = showOperatorFunds(registry, () => readOperatorFunds(db));
  return async () => {
    await Promise.all([showBacklog(), showFunds()]);
  };
}
