import { fieldError, type FieldProblem, ServiceError } from '../errors.ts';
import { type BaseUnits, type BasisPoints } from '../units/money.ts';
import { printPercentage } from '../units/percentage.ts';
import { reachesShare } from '../units/percentage.ts';
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

type TooFew = (required: number, present: number) => ServiceError;

/** The error for naming too few cosigners to execute. No wallet in particular is missing. */
export const signaturesMissing: TooFew = (required, present) => {
  const errors = [{ code: 'INSUFFICIENT_SIGNATURES', message: nameMore(required, present), field: 'cosigners' }];
  const missing = required - present;
  return new ServiceError('INSUFFICIENT_SIGNATURES', { required, present, missing, missingSigners: [], errors });
};

/** The error for naming too few cosigners to freeze an execution. */
export const cosignersMissing: TooFew = (required, present) =>
  fieldError('INVALID_REQUEST', 'cosigners', nameMore(required, present));

const stakedShare = (threshold: BasisPoints) => `${printPercentage(threshold)} % of the supply, staked and final`;

const nameMore = (required: number, present: number) =>
  `Name at least ${required} eligible cosigners; ${present} are named`;

/**
 * The named cosigners, each key once. Throws COSIGNER_NOT_ELIGIBLE with the wallets that may not cosign, and the error of
 * `tooFew` when fewer are named than the proposal requires.
 */
export function requireCosigners(
  named: readonly Cosigner[],
  rules: CosigningRules,
  tooFew: TooFew,
): readonly Cosigner[] {
  const refused = [...named.entries()].filter(([, cosigner]) => !mayCosign(cosigner, rules));
  if (refused.length > 0) {
    const required = rules.registered.length > 0 ? 'a key that the vault names' : stakedShare(rules.threshold);
    const errors = refused.map(([position]): FieldProblem => {
      return { code: 'COSIGNER_NOT_ELIGIBLE', message: `Required: ${required}`, field: `cosigners.${position}` };
    });
    throw new ServiceError('COSIGNER_NOT_ELIGIBLE', {
      wallets: refused.map(([, { wallet }]) => wallet),
      required,
      errors,
    });
  }
  const cosigners = [...new Map(named.map((cosigner) => [cosigner.keyHash, cosigner])).values()];
  if (cosigners.length < rules.required) throw tooFew(rules.required, cosigners.length);
  return cosigners;
}
