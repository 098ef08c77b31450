import type { Instant } from '../../platform/units/instant.ts';

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
