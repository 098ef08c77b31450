import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Span } from '../../vaults/rules/window.ts';

/** A twelfth of the execution phase, two hours of the shortest. */
const TURNS_OF_PHASE = 12;

/**
 * Until when what a wallet has frozen collects signatures without being replaced by others: a part of the execution phase from when it
 * first froze an execution of the proposal. What it freezes later has no time of its own, so that nobody keeps the others away.
 */
export function signingTurnEnd(firstFrozenAt: Instant, { startsAt, endsAt }: Span): Instant {
  return instant(firstFrozenAt + Math.floor((endsAt - startsAt) / TURNS_OF_PHASE));
}
