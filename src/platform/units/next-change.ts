import { type Instant, secondsAfter } from './instant.ts';

/** What time alone changes. */
interface TimedView {
  /** It also changes when the first second after a deadline is over. */
  readonly deadlines: readonly Instant[];
  /** Something that is late changes with each second. */
  readonly overdueSeconds: number;
}

/** Until when time alone changes nothing; null for ever. */
export function nextChange({ deadlines, overdueSeconds }: TimedView, now: Instant): Instant | null {
  if (overdueSeconds > 0) return now;
  const changes = deadlines.flatMap((deadline) => [deadline, secondsAfter(deadline, 1)]);
  return earliest(changes.filter((change) => change > now));
}

/** The earliest of some instants; null for never. */
export function earliest(instants: readonly (Instant | null)[]): Instant | null {
  return instants.reduce((first, each) => (first === null || (each !== null && each < first) ? each : first), null);
}
