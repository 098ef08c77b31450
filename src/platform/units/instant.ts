/** A point in time, in milliseconds since the Unix epoch. */
export type Instant = number & { readonly __unit: 'instant' };

/** Reads a Date or epoch milliseconds as an Instant; throws RangeError for anything else. */
export function instant(value: Date | number): Instant {
  const ms = typeof value === 'number' ? value : value.getTime();
  if (!Number.isSafeInteger(ms)) throw new RangeError(`not an instant: ${ms}`);
  return ms as Instant;
}

/** The instant `seconds` after `from`. */
export function secondsAfter(from: Instant, seconds: number): Instant {
  return instant(from + seconds * 1000);
}

const DAY_MS = 86_400_000;

/** When the day of an instant began, in UTC. */
export function startOfDay(at: Instant): Instant {
  return instant(Math.floor(at / DAY_MS) * DAY_MS);
}

/** ISO 8601 in UTC with milliseconds, as every response prints it. */
export function isoText(at: Instant): string {
  return new Date(at).toISOString();
}

/** Whole seconds since an instant; 0 before it. */
export function ageSeconds(since: Instant, now: Instant): number {
  return Math.max(0, Math.floor((now - since) / 1000));
}
