import type { Clock } from '../platform/units/clock.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';

/** What was spent on the present day (UTC). */
export interface DaySpending {
  /** Records what was spent on this day until now. */
  readonly record: (spent: Lovelace) => void;
  readonly today: () => Lovelace;
}

const DAY_MS = 86_400_000;

export function createDaySpending(clock: Clock): DaySpending {
  let last: { readonly day: number; readonly spent: Lovelace } | null = null;
  const presentDay = () => Math.floor(clock.now() / DAY_MS);
  return {
    record(spent) {
      last = { day: presentDay(), spent };
    },
    today: () => (last?.day === presentDay() ? last.spent : lovelace(0n)),
  };
}
