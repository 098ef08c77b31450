import type { Cosigners } from '../../transactions/rules/signatures.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import type { TerminationTerms } from './vault.ts';

/** The cosigners that a vault registered when it was created. */
export interface RegisteredCosigners extends Cosigners {
  /** From when on they can spend its custody without the vault's key (design D20). */
  readonly alone: { readonly from: Instant; readonly fromSlot: number };
}

const DAY_SECONDS = 86_400;
/** A vault without a programmed end counts as living so long. */
const OPEN_LIFE_SECONDS = 5 * 365 * DAY_SECONDS;
/** Time to end the vault and to claim; the longest claim period is as long. */
const AFTER_LIFE_SECONDS = 365 * DAY_SECONDS;

/** From when on registered cosigners need no signature of the vault: 365 days after its life, which begins at T at the latest (design D20). */
export function cosignersAloneFrom(settlesBy: Instant, termination: TerminationTerms): Instant {
  const life = termination.type === 'PROGRAMMED' ? termination.duration : OPEN_LIFE_SECONDS;
  return secondsAfter(settlesBy, life + AFTER_LIFE_SECONDS);
}
