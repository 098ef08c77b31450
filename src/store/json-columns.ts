import { type Instant, instant } from '../domain/units/instant.ts';

/** A time inside a column of JSON: ISO 8601 text. */
export type JsonTime = string;

/** Reads a time as the driver reads one in a column of its own: without its microseconds. */
export function jsonInstant(time: JsonTime): Instant {
  return instant(new Date(time));
}
