/** The source of time for all code except workflows (design D5). */
export interface Clock {
  now(): Instant;
}

/** Wall time: sessions, rate limits, idempotency and log entries use it even where a development offset exists. */
export const wallClock: Clock = {
  // oxlint-disable-next-line no-restricted-properties -- the only place that reads the machine's clock
  now: () => instant(Date.now()),
};

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

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Inclusive bounds in seconds. */
export interface DurationBound {
  readonly min: number;
  readonly max: number;
}

/** The durations that a deployment allows, in seconds. */
export interface DurationBounds {
  readonly assetWindow: DurationBound;
  readonly investmentWindow: DurationBound;
  readonly voting: DurationBound;
  readonly lock: DurationBound;
  readonly execution: DurationBound;
  /** A price older than this blocks a transition. */
  readonly valuationAge: { readonly max: number };
  /** A price older than this is no market price of an execution. */
  readonly tradePriceAge: { readonly max: number };
}

/** The bounds of the spec, as interpreted in design D2. */
export const defaultDurationBounds: DurationBounds = {
  assetWindow: { min: DAY, max: 30 * DAY },
  investmentWindow: { min: 24 * HOUR, max: 168 * HOUR },
  voting: { min: 24 * HOUR, max: 168 * HOUR },
  lock: { min: 12 * HOUR, max: 48 * HOUR },
  execution: { min: 24 * HOUR, max: 72 * HOUR },
  valuationAge: { max: 24 * HOUR },
  tradePriceAge: { max: HOUR },
};

/** Seconds of `DD:HH:MM` or `<n>h`; undefined when the text is neither (design D1). */
export function parseDuration(text: string): number | undefined {
  const hours = /^(\d{1,6})h$/i.exec(text)?.[1];
  if (hours !== undefined) return Number(hours) * HOUR;
  const parts = /^(\d{1,5}):([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (!parts) return undefined;
  return Number(parts[1]) * DAY + Number(parts[2]) * HOUR + Number(parts[3]) * MINUTE;
}

/** `DD:HH:MM`, without the seconds of the last minute; throws RangeError below zero or for a fraction. */
export function printDuration(seconds: number): string {
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw new RangeError(`not a duration: ${seconds}`);
  const parts = [Math.floor(seconds / DAY), Math.floor((seconds % DAY) / HOUR), Math.floor((seconds % HOUR) / MINUTE)];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
