import { Gauge, type Registry } from 'prom-client';
import type { AnchorCost } from '../anchoring/anchors.ts';
import { adaOf } from './ada.ts';

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
    help: 'What the anchors of this process should cost on a day: when it is spent, facts wait the longest for their batch',
    registers,
    collect() {
      this.set(adaOf(read().dailyBudget));
    },
  });
  new Gauge({
    name: 'anchor_interval_seconds',
    help: 'The longest that a fact waits for its batch at present',
    registers,
    aggregator: 'max',
    collect() {
      this.set(read().intervalMs / 1000);
    },
  });
}
