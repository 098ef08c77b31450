import { Gauge, type Registry } from 'prom-client';
import type { AnchorCost } from './anchors.ts';
import { wallClock } from '../platform/units/time.ts';
import { adaOf } from '../platform/observability/worker-metrics.ts';

/** Shows what the anchors of this process cost, as it is when the metrics are read. */
export function showAnchorCost(registry: Registry, read: () => AnchorCost): void {
  const registers = [registry];
  new Gauge({
    name: 'anchor_spent_today_ada',
    help: 'Fees of the anchors of this process since midnight (UTC)',
    registers,
    collect() {
      this.set(adaOf(read().spentToday));
    },
  });
  new Gauge({
    name: 'anchor_daily_budget_ada',
    help: 'Daily anchor budget of this process. When it is spent, facts wait the longest for their batch.',
    registers,
    collect() {
      this.set(adaOf(read().dailyBudget));
    },
  });
  new Gauge({
    name: 'anchor_interval_seconds',
    help: 'Current longest wait of a fact for its batch, in seconds',
    registers,
    collect() {
      this.set(read().intervalMs / 1000);
    },
  });
}

/** Anchors that are not on the ledger, and when the oldest of them was built, by wall time. */
export interface Unconfirmed {
  readonly count: number;
  readonly oldestSealedAt: number | null;
}

/** Returns a function that shows the anchors of all anchor chains that are not on the ledger; null for what is not known, which is left out. */
export function unconfirmedAnchorGauges(registry: Registry): (unconfirmed: Unconfirmed | null) => void {
  const registers = [registry];
  const count = new Gauge({
    name: 'anchors_unlanded',
    help: 'Anchors of all processes that are not on the ledger yet',
    registers,
  });
  const age = new Gauge({
    name: 'anchor_oldest_unlanded_seconds',
    help: 'Age of the oldest anchor that is not on the ledger, 0 if there is none',
    registers,
  });
  return (unconfirmed) => {
    for (const gauge of [count, age]) gauge.remove();
    if (unconfirmed === null) return;
    const { oldestSealedAt: oldest } = unconfirmed;
    count.set(unconfirmed.count);
    age.set(oldest === null ? 0 : Math.max(0, wallClock.now() - oldest) / 1000);
  };
}
