import { type Instant, instant } from './instant.ts';

/** Where everything but a workflow takes its time from (design D5). */
export interface Clock {
  now(): Instant;
}

/** Wall time: sessions, rate limits, idempotency and log entries use it even where a development offset exists. */
export const wallClock: Clock = {
  // eslint-disable-next-line no-restricted-properties -- the one place where the machine's clock is read
  now: () => instant(Date.now()),
};
