import { type Instant, instant } from './instant.ts';

/** The source of time for all code except workflows (design D5). */
export interface Clock {
  now(): Instant;
}

/** Wall time: sessions, rate limits, idempotency and log entries use it even where a development offset exists. */
export const wallClock: Clock = {
  // oxlint-disable-next-line no-restricted-properties -- the only place that reads the machine's clock
  now: () => instant(Date.now()),
};
