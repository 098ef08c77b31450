import { type Instant, instant } from '../units/instant.ts';

/** A time inside a column of JSON: ISO 8601 text. */
export type JsonTime = string;

/** Reads a time as the driver reads one in a column of its own: without its microseconds. */
export function jsonInstant(time: JsonTime): Instant {
  return instant(new Date(time));
}

/** A row as `to_jsonb` returns it. Its amounts must be added again as text: a JSON number loses what is above 2^53. */
export type JsonRow<Row> = {
  readonly [Column in keyof Row]: Date extends Row[Column] ? JsonTime | Extract<Row[Column], null> : Row[Column];
};

/** Reads the time of a column that may be null as the driver does. */
export function jsonDate(time: JsonTime | null): Date | null {
  return time === null ? null : new Date(time);
}
