import type { RotationStatus } from '../../rotation/rules/rotation.ts';
import type { RotationStep } from '../../rotation/rules/steps.ts';
import type { Instant } from '../units/instant.ts';
import type { AtVault, Prepared } from './activity-types.ts';

/** Where a rotation stands. */
export interface RotationStage {
  step: RotationStep | Extract<RotationStatus, 'finished' | 'cancelled'>;
  /** Whether a transaction has to be prepared; otherwise the step waits. */
  prepares: boolean;
  /** When the wait ends at the latest; null for no limit. */
  until: Instant | null;
}

/** A change of the key or the cosigners of a vault. Each reads from Postgres and the ledger what is done, so it may be repeated. */
export interface RotationActivities {
  /** Takes the steps that need no transaction, and returns the step that the rotation is in. */
  advanceRotation(input: AtVault & { rotationId: string }): Promise<RotationStage>;
  /** The next transaction that moves outputs; null when there is none at present. */
  prepareMove(input: AtVault): Promise<Prepared | null>;
}
