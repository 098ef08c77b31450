import { ServiceError } from '../errors.ts';
import { type Instant, isoText } from '../units/instant.ts';

export const pausedAreas = ['creation', 'contribution', 'investment', 'governance'] as const;
/** The new work that an operator can stop; what is under way goes on. */
export type PausedArea = (typeof pausedAreas)[number];

/** A switch that an operator has set. */
export interface Pause {
  readonly area: PausedArea;
  /** Told to everyone who is refused. */
  readonly reason: string;
  readonly since: Instant;
}

/** Throws OPERATION_PAUSED when the area of an operation is paused. */
export function requireNotPaused(pauses: readonly Pause[], area: PausedArea): void {
  const pause = pauses.find((one) => one.area === area);
  if (pause) throw new ServiceError('OPERATION_PAUSED', { area, reason: pause.reason, since: isoText(pause.since) });
}
