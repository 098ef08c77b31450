import { fieldError, ServiceError } from '../errors.ts';
import { type BaseUnits, type BasisPoints } from '../units/money.ts';
import { printPercentage } from '../units/percentage.ts';
import { reachesShare } from '../vote/tally.ts';

/** Somebody whose signature an execution waits for. */
export interface Signer {
  readonly wallet: string;
  /** Of its payment key: two addresses with one key are one signer. */
  readonly keyHash: string;
}

/** A wallet with all it has staked, as the vault sees it when the execution is frozen. */
export interface Cosigner extends Signer {
  readonly power: BaseUnits;
}

export interface CosigningRules {
  /** k; 0 lets the platform execute alone. */
  readonly required: number;
  /** Key hashes named when the vault was created; then they alone cosign, whatever they staked (design D20). */
  readonly registered: readonly string[];
  readonly threshold: BasisPoints;
  readonly supply: BaseUnits;
}

/** Whether a wallet may cosign: registered, or where nobody is, with a stake above the cosigning threshold (design D20, D22). */
export function mayCosign({ keyHash, power }: Cosigner, rules: CosigningRules): boolean {
  if (rules.registered.length > 0) return rules.registered.includes(keyHash);
  return power > 0n && reachesShare(power, rules.threshold, rules.supply);
}

interface CosignersWanted {
  /** What vault and proposal name; undefined where they name no number. */
  readonly vault: number | undefined;
  readonly asked: number | undefined;
  /** Who may cosign by the vault's threshold, and by the proposal's own, which may be stricter. */
  readonly eligibleInVault: number;
  readonly eligible: number;
}

/**
 * k of a proposal: what it asks for, else its vault's, else 1, as far as there are eligible cosigners (design D29). Throws
 * THRESHOLD_BELOW_VAULT when it asks for fewer than a vault that has named a number, be it by letting too few cosign, and
 * INVALID_REQUEST when it asks for more than may cosign.
 */
export function requiredCosigners({ vault, asked, eligibleInVault, eligible }: CosignersWanted): number {
  const least = Math.min(vault ?? 0, eligibleInVault);
  const tooFew = `The vault asks for at least ${least} cosigners`;
  if (eligible < least) throw fieldError('THRESHOLD_BELOW_VAULT', `${wishes}.cosigning_threshold`, tooFew);
  if (asked === undefined) return Math.min(vault ?? 1, eligible);
  const field = `${wishes}.required_cosigners`;
  if (asked < least) throw fieldError('THRESHOLD_BELOW_VAULT', field, tooFew);
  if (asked > eligible) throw fieldError('INVALID_REQUEST', field, `There are ${eligible} who may cosign`);
  return asked;
}

const wishes = 'governance_thresholds';

type TooFew = (required: number, present: number) => ServiceError;

/** Too few are named to execute: signatures that nobody in particular owes are missing. */
export const signaturesMissing: TooFew = (required, present) => {
  const errors = [{ code: 'INSUFFICIENT_SIGNATURES', message: nameMore(required, present), field: 'cosigners' }];
  const missing = required - present;
  return new ServiceError('INSUFFICIENT_SIGNATURES', { required, present, missing, missingSigners: [], errors });
};

/** Too few are named to freeze anything for. */
export const cosignersMissing: TooFew = (required, present) =>
  fieldError('INVALID_REQUEST', 'cosigners', nameMore(required, present));

const stakedShare = (threshold: BasisPoints) => `${printPercentage(threshold)} % of the supply, staked and final`;

const nameMore = (required: number, present: number) =>
  `Name at least ${required} eligible cosigners; ${present} are named`;

/**
 * The cosigners an execution is frozen for, each key once. Throws COSIGNER_NOT_ELIGIBLE with the wallets that may not, and
 * what `tooFew` makes when fewer are named than the proposal requires.
 */
export function requireCosigners(
  named: readonly Cosigner[],
  rules: CosigningRules,
  tooFew: TooFew,
): readonly Cosigner[] {
  const refused = named.filter((cosigner) => !mayCosign(cosigner, rules));
  if (refused.length > 0) {
    const required = rules.registered.length > 0 ? 'a key that the vault names' : stakedShare(rules.threshold);
    throw new ServiceError('COSIGNER_NOT_ELIGIBLE', { wallets: refused.map(({ wallet }) => wallet), required });
  }
  const cosigners = [...new Map(named.map((cosigner) => [cosigner.keyHash, cosigner])).values()];
  if (cosigners.length < rules.required) throw tooFew(rules.required, cosigners.length);
  return cosigners;
}

/** How far a frozen transaction is signed: everyone it names must. */
export interface SignatureProgress {
  readonly required: number;
  readonly present: number;
  readonly missing: number;
  /** Their wallets. */
  readonly missingSigners: readonly string[];
}

/** Counts the keys that have validly signed among those a frozen transaction names (cosigners, buyer or seller). */
export function signatureProgress(signers: readonly Signer[], signed: ReadonlySet<string>): SignatureProgress {
  const missingSigners = signers.filter(({ keyHash }) => !signed.has(keyHash)).map(({ wallet }) => wallet);
  const missing = missingSigners.length;
  return { required: signers.length, present: signers.length - missing, missing, missingSigners };
}

/** Throws INSUFFICIENT_SIGNATURES with {required, present, missing, missingSigners}, unless everyone has signed (design D28). */
export function requireSignatures(signers: readonly Signer[], signed: ReadonlySet<string>): void {
  const progress = signatureProgress(signers, signed);
  if (progress.missing > 0) throw new ServiceError('INSUFFICIENT_SIGNATURES', { ...progress });
}
