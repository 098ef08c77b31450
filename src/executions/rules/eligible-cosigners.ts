import { fieldError } from '../../platform/errors/errors.ts';
import { type BaseUnits, type BasisPoints } from '../../platform/units/money.ts';
import { reachesShare } from '../../platform/units/percentage.ts';
import type { Signer } from './required-signatures.ts';

/** A wallet that may cosign, with its staked power when the execution is frozen. */
export interface Cosigner extends Signer {
  readonly power: BaseUnits;
}

/** Who may cosign an execution, and how many have to. */
export interface CosigningRules {
  /** Number of cosigners required; with 0 the platform executes alone. */
  readonly required: number;
  /** Key hashes registered when the vault was created. If there are any, only they may cosign, whatever they staked (design D20). */
  readonly registered: readonly string[];
  /** Share of the supply that a cosigner must hold staked. */
  readonly threshold: BasisPoints;
  readonly supply: BaseUnits;
}

/** Whether a wallet may cosign: its key is registered or, if no key is, its stake reaches the cosigning threshold (design D20, D22). */
export function mayCosign({ keyHash, power }: Cosigner, rules: CosigningRules): boolean {
  if (rules.registered.length > 0) return rules.registered.includes(keyHash);
  return power > 0n && reachesShare(power, rules.threshold, rules.supply);
}

interface CosignerCounts {
  /** The numbers that the vault and the proposal set; undefined if they set none. */
  readonly vault: number | undefined;
  readonly requested: number | undefined;
  /** Keys that may cosign under the vault's threshold, and under the proposal's own, which may be higher. */
  readonly eligibleInVault: number;
  readonly eligible: number;
}

/**
 * The number of cosigners a proposal requires: its own, else the vault's, else 1; the last two at most the number of eligible
 * cosigners (design D29). Throws THRESHOLD_BELOW_VAULT when the proposal requires fewer than the vault or raises the
 * cosigning threshold so far that too few may cosign, and INVALID_REQUEST when it requires more than may cosign.
 */
export function requiredCosigners({ vault, requested, eligibleInVault, eligible }: CosignerCounts): number {
  const minimum = Math.min(vault ?? 0, eligibleInVault);
  const tooFew = `The vault requires at least ${minimum} cosigners`;
  if (eligible < minimum)
    throw fieldError('THRESHOLD_BELOW_VAULT', 'governance_thresholds.cosigning_threshold', tooFew);
  if (requested === undefined) return Math.min(vault ?? 1, eligible);
  const field = 'governance_thresholds.required_cosigners';
  if (requested < minimum) throw fieldError('THRESHOLD_BELOW_VAULT', field, tooFew);
  if (requested > eligible) throw fieldError('INVALID_REQUEST', field, `Only ${eligible} may cosign`);
  return requested;
}

/**
 * The number of cosigners once the vote is over: as when the proposal was created, or more if the vault asks for more and more of
 * those who may cosign have voted (design D29). `vault` is the vault's number, undefined if it sets none.
 */
export function cosignersAfterVote(
  atCreation: number,
  { vault, eligible }: Pick<CosignerCounts, 'vault' | 'eligible'>,
): number {
  return Math.max(atCreation, Math.min(vault ?? 0, eligible));
}
