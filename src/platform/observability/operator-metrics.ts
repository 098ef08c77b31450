import { Gauge, type Registry } from 'prom-client';
import type { OperatorFunds } from '../../operations/rules/runway.ts';
import { adaOf } from './ada.ts';

/** Returns a function that reads the operator's funds into the metrics; what is not known is left out. */
export function showOperatorFunds(registry: Registry, read: () => Promise<OperatorFunds | null>): () => Promise<void> {
  const registers = [registry];
  const balance = new Gauge({
    name: 'operator_balance_ada',
    help: 'What the address of the operator holds, lanes of anchors included',
    registers,
  });
  const runway = new Gauge({
    name: 'operator_runway_days',
    help: 'Days until the operator has nothing left, if as much is spent as in the last seven days; absent if nothing was',
    registers,
  });
  const seen = new Gauge({
    name: 'operator_balance_seen_timestamp_seconds',
    help: 'When a worker last saw the balance of the operator',
    registers,
  });
  return async () => {
    for (const gauge of [balance, runway, seen]) gauge.remove();
    const funds = await read().catch(() => null);
    if (funds === null) return;
    balance.set(adaOf(funds.held));
    seen.set(funds.seenAt / 1000);
    if (funds.runwayDays !== null) runway.set(funds.runwayDays);
  };
}
