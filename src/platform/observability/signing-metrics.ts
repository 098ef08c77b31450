import { Gauge, type Registry } from 'prom-client';
import { type TransactionKind, transactionKinds } from '../../transactions/rules/transaction-state.ts';
import { type PaidToday, purposes } from '../../signing-policy/operator-budget.ts';
import { adaOf } from './ada.ts';
import { alarmCounter } from './alarm-counter.ts';

/** Returns a function that counts transactions that the worker refuses to sign, or to count once they landed (design D44). */
export function unjustifiedCounter(registry: Registry): (kind: TransactionKind) => void {
  const count = alarmCounter(registry, {
    name: 'unjustified_transactions_total',
    help: 'Transactions that the worker refused to sign because nothing justifies them, or that landed as something else than their rows say, by kind: each is an alarm',
    series: transactionKinds.map((kind) => ({ kind })),
  });
  return (kind) => {
    count({ kind });
  };
}

/** Shows what the operator pays today by the signatures of this worker, as it is when the metrics are read. */
export function showOperatorBudget(registry: Registry, read: () => PaidToday): void {
  const registers = [registry];
  new Gauge({
    name: 'operator_paid_today_ada',
    help: 'What the operator pays by the signatures of this worker since midnight (UTC): for anchors, and for everything else',
    labelNames: ['for'],
    registers,
    collect() {
      const { anchors, others } = read();
      this.set({ for: 'anchors' }, adaOf(anchors));
      this.set({ for: 'others' }, adaOf(others));
    },
  });
  new Gauge({
    name: 'operator_daily_ada',
    help: 'The most that the operator pays on a day by the signatures of this worker, for anchors and for everything else',
    registers,
    collect() {
      this.set(adaOf(read().bound));
    },
  });
  new Gauge({
    name: 'operator_payments_stopped',
    help: 'Whether what the operator pays for is signed no more today (1 or 0), by what it is for: 1 is an alarm',
    labelNames: ['for'],
    registers,
    collect() {
      const { stopped } = read();
      for (const purpose of purposes) this.set({ for: purpose }, stopped.has(purpose) ? 1 : 0);
    },
  });
}
