import { fieldError, type FieldProblem, ServiceError } from '../../platform/errors/errors.ts';
import type { BasisPoints } from '../../platform/units/money.ts';
import { printPercentage } from '../../platform/units/percentage.ts';
import { type Cosigner, type CosigningRules, mayCosign } from './eligible-cosigners.ts';

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
  const cosigners = requireEligible(named, rules, named.length);
  requireEnough(cosigners, rules, tooFew);
  return cosigners;
}

/** Throws the error of `tooFew` when fewer cosigners are named than the proposal requires. */
export function requireEnough(named: readonly Cosigner[], { required }: CosigningRules, tooFew: TooFew): void {
  const present = eachKeyOnce(named).length;
  if (present < required) throw tooFew(required, present);
}

/**
 * Those of the named cosigners who may cosign, each key once. Throws COSIGNER_NOT_ELIGIBLE with the others when they leave fewer than
 * `required`.
 */
export function requireEligible(
  named: readonly Cosigner[],
  rules: CosigningRules,
  required: number,
): readonly Cosigner[] {
  const eligible = eachKeyOnce(named.filter((cosigner) => mayCosign(cosigner, rules)));
  if (eligible.length < required) refuse(named, (cosigner) => !mayCosign(cosigner, rules), conditionOf(rules));
  return eligible;
}

/** Throws COSIGNER_NOT_ELIGIBLE for a key of the platform: it signs every execution, so its signature approves nothing. */
export function requireNoPlatformKey(named: readonly Cosigner[], platformKeys: readonly string[]): void {
  refuse(named, ({ keyHash }) => platformKeys.includes(keyHash), 'a key of a wallet');
}

/**
 * How many of the named cosigners have to sign: as many as whoever freezes the execution asks for, else as many as the proposal
 * requires (design D28). Throws INVALID_REQUEST at `required_cosigners` for fewer than that, or more than are named.
 */
export function cosignersToSign(
  { required }: CosigningRules,
  { requested, named }: { readonly requested: number | undefined; readonly named: number },
): number {
  if (requested === undefined) return required;
  const field = 'required_cosigners';
  if (requested < required) throw fieldError('INVALID_REQUEST', field, `The proposal requires at least ${required}`);
  if (requested > named) throw fieldError('INVALID_REQUEST', field, `Only ${named} cosigners are named`);
  return requested;
}

function eachKeyOnce(cosigners: readonly Cosigner[]): readonly Cosigner[] {
  return [...new Map(cosigners.map((cosigner) => [cosigner.keyHash, cosigner])).values()];
}

/** Throws COSIGNER_NOT_ELIGIBLE, by their places in the request, for those whom `isRefused` finds. */
function refuse(named: readonly Cosigner[], isRefused: (cosigner: Cosigner) => boolean, required: string): void {
  const refused = [...named.entries()].filter(([, cosigner]) => isRefused(cosigner));
  if (refused.length === 0) return;
  const errors = refused.map(([position]): FieldProblem => {
    return { code: 'COSIGNER_NOT_ELIGIBLE', message: `Required: ${required}`, field: `cosigners.${position}` };
  });
  const wallets = refused.map(([, { wallet }]) => wallet);
  throw new ServiceError('COSIGNER_NOT_ELIGIBLE', { wallets, required, errors });
}

const stakedShare = (threshold: BasisPoints) => `${printPercentage(threshold)} % of the supply, staked and final`;

const conditionOf = ({ registered, threshold }: CosigningRules) =>
  registered.length > 0 ? 'a key that the vault names' : stakedShare(threshold);
