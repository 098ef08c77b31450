import type { Instant } from '../units/instant.ts';

/** How many failed executions of a proposal leave it PASSED (design D50). The next one fails it. */
export const FORGIVEN_FAILURES = 3;

/** Whether a proposal whose execution has failed may be executed again: in its execution phase, and not after too many failures. */
export function mayExecuteAgain(
  { failures, executionEndsAt }: { readonly failures: number; readonly executionEndsAt: Instant },
  now: Instant,
): boolean {
  return failures <= FORGIVEN_FAILURES && now < executionEndsAt;
}
