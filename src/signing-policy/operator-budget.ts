import { ServiceError } from '../platform/errors.ts';
import type { TransactionKind } from '../transactions/rules.ts';
import { type Clock, instant, isoText, secondsAfter, startOfDay } from '../platform/units/time.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';

/** What the operator pays for: anchors, what begins something, and what continues with it. */
export const purposes = ['anchors', 'starts', 'others'] as const;
export type Purpose = (typeof purposes)[number];

/** What the operator pays on one day (UTC) by the signatures of one worker. */
export interface OperatorBudget {
  /** Whether every transaction of a kind for which something was to be paid today has found room. */
  readonly hasBudget: (kind: TransactionKind) => boolean;
  /** Throws OPERATOR_BUDGET_SPENT unless it has. */
  readonly requireBudget: (kind: TransactionKind) => void;
  /**
   * Counts what the operator pays by a transaction that is about to be signed, once: where its signature could not be stored it is signed again,
   * and only one can be confirmed. `hash` has to be that of its bytes.
   */
  readonly pay: (kind: TransactionKind, amount: bigint, hash: string) => void;
  readonly today: () => PaidToday;
}

export interface PaidToday {
  readonly anchors: Lovelace;
  /** For everything else. */
  readonly others: Lovelace;
  /** What is signed no more today. */
  readonly stopped: ReadonlySet<Purpose>;
  readonly bound: Lovelace;
}

interface OperatorBudgetDeps {
  readonly clock: Clock;
  /** Milliseconds that only grow, whatever becomes of the clock. */
  readonly uptimeMs?: () => number;
  /** The most for anchors, and the most for everything else. */
  readonly bound: Lovelace;
  /** Called once a day for each purpose for which something is signed no more. */
  readonly onSpent: (purpose: Purpose, paid: PaidToday) => void;
}

const DAY_SECONDS = 86_400;

/** Whoever writes rows makes as many of these as they like; the others need something that is on the ledger. */
const STARTS: ReadonlySet<TransactionKind> = new Set(['create_vault', 'add_asset', 'fan_out']);

/**
 * Counts in memory, which nobody can reset who writes Postgres: a worker that is started again begins with nothing paid. What begins
 * something has half of what is not for anchors, so that it cannot keep running vaults from theirs. The first that finds no room ends the day
 * for its purpose: smaller ones would pass a larger one for ever.
 */
export function createOperatorBudget({
  clock,
  uptimeMs = () => performance.now(),
  bound,
  onSpent,
}: OperatorBudgetDeps): OperatorBudget {
  const days = createDays(clock, uptimeMs);
  const paid = { anchors: 0n, others: 0n };
  const [stopped, counted] = [new Set<Purpose>(), new Set<string>()];

  function beginDay(): void {
    if (!days.beginNext()) return;
    Object.assign(paid, { anchors: 0n, others: 0n });
    stopped.clear();
    counted.clear();
  }

  function today(): PaidToday {
    beginDay();
    return { anchors: lovelace(paid.anchors), others: lovelace(paid.others), stopped: new Set(stopped), bound };
  }

  function refuse(): never {
    const next = secondsAfter(days.began(), DAY_SECONDS);
    throw new ServiceError('OPERATOR_BUDGET_SPENT', { resumesAt: isoText(next) });
  }

  function hasBudget(kind: TransactionKind): boolean {
    beginDay();
    return !stopped.has(purposeOf(kind));
  }

  return {
    hasBudget,
    requireBudget(kind) {
      if (!hasBudget(kind)) refuse();
    },
    pay(kind, amount, hash) {
      beginDay();
      if (amount <= 0n || counted.has(hash)) return;
      const purpose = purposeOf(kind);
      const account = purpose === 'anchors' ? 'anchors' : 'others';
      const most = purpose === 'starts' ? bound / 2n : bound;
      if (!stopped.has(purpose) && paid[account] + amount <= most) {
        paid[account] += amount;
        counted.add(hash);
        return;
      }
      const before = stopped.size;
      if (stopped.add(purpose).size > before) onSpent(purpose, today());
      refuse();
    },
    today,
  };
}

/** The days of a clock. One that goes back brings none again, unless a day has passed meanwhile: it may have been ahead by a year. */
function createDays(clock: Clock, uptimeMs: () => number) {
  let [began, beganMs] = [startOfDay(instant(0)), -Infinity];
  return {
    began: () => began,
    /** Returns whether another day has begun. */
    beginNext(): boolean {
      const day = startOfDay(clock.now());
      const hasPassed = uptimeMs() - beganMs >= DAY_SECONDS * 1000;
      if (day === began || (day < began && !hasPassed)) return false;
      [began, beganMs] = [day, uptimeMs()];
      return true;
    },
  };
}

function purposeOf(kind: TransactionKind): Purpose {
  if (kind === 'anchor') return 'anchors';
  return STARTS.has(kind) ? 'starts' : 'others';
}
