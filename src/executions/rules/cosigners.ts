import type { FieldProblem } from '../../platform/error-registry.ts';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, type BasisPoints, reachesShare, printPercentage } from '../../platform/units/money.ts';
import type { Cosigners } from '../../transactions/rules.ts';
import type { Span } from '../../vaults/rules/window.ts';

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
  const tooFew = `The vault requires at least ${minimum} cosigners.`;
  if (eligible < minimum)
    throw fieldError('THRESHOLD_BELOW_VAULT', 'governance_thresholds.cosigning_threshold', tooFew);
  if (requested === undefined) return Math.min(vault ?? 1, eligible);
  const field = 'governance_thresholds.required_cosigners';
  if (requested < minimum) throw fieldError('THRESHOLD_BELOW_VAULT', field, tooFew);
  if (requested > eligible) throw fieldError('INVALID_REQUEST', field, `Only ${eligible} can cosign.`);
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

const nameMore = (required: number, present: number) =>
  `Name at least ${required} eligible cosigners. You named ${present}.`;

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
  if (requested < required) throw fieldError('INVALID_REQUEST', field, `The proposal requires at least ${required}.`);
  if (requested > named) throw fieldError('INVALID_REQUEST', field, `You named only ${named} cosigners.`);
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
    return { code: 'COSIGNER_NOT_ELIGIBLE', message: `This wallet needs ${required}.`, field: `cosigners.${position}` };
  });
  const wallets = refused.map(([, { wallet }]) => wallet);
  throw new ServiceError('COSIGNER_NOT_ELIGIBLE', { wallets, required, errors });
}

const stakedShare = (threshold: BasisPoints) => `${printPercentage(threshold)} % of the supply, staked and final`;

const conditionOf = ({ registered, threshold }: CosigningRules) =>
  registered.length > 0 ? 'a key that the vault has registered' : stakedShare(threshold);

/** A wallet whose signature an execution may need. */
export interface Signer {
  readonly wallet: string;
  /** Hash of its payment key; two addresses with the same key are one signer. */
  readonly keyHash: string;
}

/** Those whom an execution names. */
interface NamedSigners {
  readonly cosigners: readonly Signer[];
  /** The buyer, seller or holder, who must sign. */
  readonly partner: Signer | null;
}

/** The wallets that an execution names to sign, its partner among them. Each key counts once. */
export function signersOf({ cosigners, partner }: NamedSigners): readonly Signer[] {
  const all = partner ? [...cosigners, partner] : cosigners;
  return [...new Map(all.map((signer) => [signer.keyHash, signer])).values()];
}

/** The cosigners besides the partner, and how many of them have to sign when `required` cosigners do. A partner who cosigns counts as one. */
export function cosignersBesidePartner({ cosigners, partner }: NamedSigners, required: number): Cosigners {
  const others = cosigners.filter(({ keyHash }) => keyHash !== partner?.keyHash);
  const left = Math.max(0, required - (cosigners.length - others.length));
  return { required: left, keyHashes: others.map(({ keyHash }) => keyHash) };
}

/** The wallets that can still give a signature that an execution with `required` cosigners lacks. */
export function missingSigners(named: NamedSigners, required: number, signed: ReadonlySet<string>): readonly string[] {
  const others = cosignersBesidePartner(named, required);
  const isComplete = others.keyHashes.filter((keyHash) => signed.has(keyHash)).length >= others.required;
  const isAsked = ({ keyHash }: Signer) => !signed.has(keyHash) && !(isComplete && others.keyHashes.includes(keyHash));
  return signersOf(named)
    .filter(isAsked)
    .map(({ wallet }) => wallet);
}

/** A twelfth of the execution phase, two hours of the shortest. */
const LEASES_OF_PHASE = 12;

/**
 * Until when what a wallet has frozen collects signatures without being replaced by others: a part of the execution phase from when it
 * first froze an execution of the proposal. What it freezes later has no time of its own, so that nobody keeps the others away.
 */
export function signingLeaseEnd(firstFrozenAt: Instant, { startsAt, endsAt }: Span): Instant {
  return instant(firstFrozenAt + Math.floor((endsAt - startsAt) / LEASES_OF_PHASE));
}
