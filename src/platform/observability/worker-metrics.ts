import { Counter, Gauge, type Registry } from 'prom-client';
import type { OperatorFunds } from '../../operations/rules.ts';
import { decodedTables } from '../database/decode-rows.ts';
import { type LostWorkflow, lostKinds, runEnds } from '../temporal/running-workflows.ts';
import type { Lovelace } from '../units/money.ts';
import { type PaidToday, purposes } from '../../signing-policy/operator-budget.ts';
import { type TransactionKind, transactionKinds } from '../../transactions/rules.ts';

/** Returns a function that counts workflows that were terminated or lost and are started again (design D46). */
export function lostWorkflowCounter(registry: Registry): (lost: Pick<LostWorkflow, 'kind' | 'end'>) => void {
  const count = alarmCounter(registry, {
    name: 'lost_workflows_total',
    help: 'Workflows that did not run although work remained, and were started again, by kind and by how they ended. Each is an alarm',
    series: lostKinds.flatMap((kind) => runEnds.map((end) => ({ kind, end }))),
  });
  return ({ kind, end }) => {
    count({ kind, end });
  };
}

/** Returns a function that counts rows that could not be read and were left out. */
export function unreadableCounter(registry: Registry): (table: (typeof decodedTables)[number]) => void {
  const count = alarmCounter(registry, {
    name: 'unreadable_rows_total',
    help: 'Unreadable rows that a job or a batch skipped, by table. Each is an alarm',
    series: decodedTables.map((table) => ({ table })),
  });
  return (table) => {
    count({ table });
  };
}

/** Returns a function that counts transactions that the worker refuses to sign, or to count once they were confirmed (design D44). */
export function signatureRefusedCounter(registry: Registry): (kind: TransactionKind) => void {
  const count = alarmCounter(registry, {
    name: 'unjustified_transactions_total',
    help: 'Transactions that the worker refused to sign, or that differ on the ledger from their record, by kind. Each is an alarm',
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
    help: 'Lovelace that the operator paid by the signatures of this worker since midnight (UTC), for anchors and for everything else',
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
    help: 'Daily limit of the operator for the signatures of this worker, for anchors and for everything else',
    registers,
    collect() {
      this.set(adaOf(read().bound));
    },
  });
  new Gauge({
    name: 'operator_payments_stopped',
    help: 'Whether the daily limit of the operator is reached (1 or 0), by purpose. 1 is an alarm',
    labelNames: ['for'],
    registers,
    collect() {
      const { stopped } = read();
      for (const purpose of purposes) this.set({ for: purpose }, stopped.has(purpose) ? 1 : 0);
    },
  });
}

/** Returns a function that shows when a Schedule last started its workflow, when that last succeeded, and whether it is paused. */
export function scheduleMetrics(
  registry: Registry,
): (seen: { scheduleId: string; startedAt: Date | null; succeededAt: Date | null; isPaused: boolean }) => void {
  const started = new Gauge({
    name: 'schedule_started_timestamp_seconds',
    help: 'Time of the last start of a Schedule. A Schedule that is paused or lost, or whose last run hangs, does not start',
    labelNames: ['schedule'],
    registers: [registry],
  });
  const succeeded = new Gauge({
    name: 'schedule_succeeded_timestamp_seconds',
    help: 'Time of the last successful run of a Schedule, or of its creation if no run has succeeded',
    labelNames: ['schedule'],
    registers: [registry],
  });
  const paused = new Gauge({
    name: 'schedule_paused',
    help: 'Whether an operator has paused a Schedule (1 or 0)',
    labelNames: ['schedule'],
    registers: [registry],
  });
  return ({ scheduleId: schedule, startedAt, succeededAt, isPaused }) => {
    if (startedAt !== null) started.set({ schedule }, startedAt.getTime() / 1000);
    if (succeededAt !== null) succeeded.set({ schedule }, succeededAt.getTime() / 1000);
    paused.set({ schedule }, isPaused ? 1 : 0);
  };
}

/** Returns a function that reads the operator's funds into the metrics; what is not known is left out. */
export function showOperatorFunds(registry: Registry, read: () => Promise<OperatorFunds | null>): () => Promise<void> {
  const registers = [registry];
  const balance = new Gauge({
    name: 'operator_balance_ada',
    help: 'Balance of the operator, including outputs for anchors',
    registers,
  });
  const runway = new Gauge({
    name: 'operator_runway_days',
    help: 'Days until the balance of the operator is used up at the rate of the last seven days. Missing if nothing was spent',
    registers,
  });
  const seen = new Gauge({
    name: 'operator_balance_seen_timestamp_seconds',
    help: 'Time at which a worker last read the balance of the operator',
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

/** How far the ledger is followed; null what is not known. */
interface Following {
  readonly lagBlocks: number | null;
  readonly lagSeconds: number | null;
  readonly isHeld: boolean;
}

/** Returns a function that reads how far the ledger is followed into the metrics; what cannot be read is left out. */
export function ledgerFollowing(registry: Registry, read: () => Promise<Following>): () => Promise<void> {
  const blocks = new Gauge({
    name: 'ledger_follower_lag_blocks',
    help: 'Blocks of the ledger that are not read yet',
    registers: [registry],
  });
  const seconds = new Gauge({
    name: 'ledger_follower_lag_seconds',
    help: 'Age of the last block that was read. Also grows while the ledger makes no blocks',
    registers: [registry],
  });
  const held = new Gauge({
    name: 'ledger_follower_held',
    help: 'Whether the ledger has another history that an operator has to accept (1 or 0)',
    registers: [registry],
  });
  return async () => {
    for (const gauge of [blocks, seconds, held]) gauge.remove();
    const following = await read().catch(() => null);
    if (following === null) return;
    held.set(following.isHeld ? 1 : 0);
    if (following.lagBlocks !== null) blocks.set(following.lagBlocks);
    if (following.lagSeconds !== null) seconds.set(following.lagSeconds);
  };
}

/** Returns a function that counts what blocks say of transactions and could not be recorded (design D45). */
export function unrecordedCounter(registry: Registry): () => void {
  const unrecorded = new Counter({
    name: 'unrecorded_transactions_total',
    help: 'Transactions in a block that could not be recorded because a row is unreadable. Each is an alarm',
    registers: [registry],
  });
  return () => {
    unrecorded.inc();
  };
}

/** ADA as a metric shows them. */
export function adaOf(lovelace: Lovelace): number {
  return Number(lovelace) / 1_000_000;
}

/** A counter of which each increase is an alarm, and the labels of every series that it may have. */
interface AlarmCounter<Labels extends Readonly<Record<string, string>>> {
  readonly name: string;
  readonly help: string;
  readonly series: readonly Labels[];
}

/**
 * Returns a function that counts. Every series is there with 0 from the start: Prometheus sees no increase in one that begins with 1, so the
 * first event would raise no alarm.
 */
export function alarmCounter<Labels extends Readonly<Record<string, string>>>(
  registry: Registry,
  { name, help, series }: AlarmCounter<Labels>,
): (labels: Labels) => void {
  const labelNames = Object.keys(series[0] ?? {});
  const counter = new Counter({ name, help, labelNames, registers: [registry] });
  for (const labels of series) counter.inc({ ...labels }, 0);
  return (labels) => {
    counter.inc({ ...labels });
  };
}
