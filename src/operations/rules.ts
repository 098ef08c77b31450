import type { Instant } from '../platform/units/time.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';

export const pausedAreas = ['creation', 'contribution', 'investment', 'governance'] as const;
/** The new work that an operator can stop; what is under way continues. */
export type PausedArea = (typeof pausedAreas)[number];

/** A switch that an operator has set. */
export interface Pause {
  readonly area: PausedArea;
  /** Told to everyone who is refused. */
  readonly reason: string;
  readonly since: Instant;
}

/** What the operator's address held when it was last seen on a day, and how much it became less on that day. */
export interface FundsOfDay {
  /** Midnight (UTC). */
  readonly day: Instant;
  readonly held: Lovelace;
  readonly spent: Lovelace;
  readonly seenAt: Instant;
}

/** The operator's funds, and for how long they suffice. */
export interface OperatorFunds extends Pick<FundsOfDay, 'held' | 'seenAt'> {
  /** The mean of the given days. */
  readonly spentPerDay: Lovelace;
  /** Days until nothing is left, if as much is spent as on the given days; null if nothing was. */
  readonly runwayDays: number | null;
}

const DAY_MS = 86_400_000;

/** The operator's funds by the last days, latest first; null without any. Less than a day counts as a day. */
export function operatorFunds(days: readonly FundsOfDay[]): OperatorFunds | null {
  const [latest, earliest] = [days.at(0), days.at(-1)];
  if (!latest || !earliest) return null;
  const { held, seenAt } = latest;
  const spent = days.reduce((sum, day) => sum + day.spent, 0n);
  const elapsedMs = BigInt(Math.max(DAY_MS, seenAt - earliest.day));
  const spentPerDay = lovelace((spent * BigInt(DAY_MS)) / elapsedMs);
  return { held, seenAt, spentPerDay, runwayDays: spentPerDay === 0n ? null : Number(held) / Number(spentPerDay) };
}
