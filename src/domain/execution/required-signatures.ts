import { ServiceError } from '../errors.ts';

/** A wallet whose signature an execution needs. */
export interface Signer {
  readonly wallet: string;
  /** Hash of its payment key; two addresses with the same key are one signer. */
  readonly keyHash: string;
}

/**
 * The wallets that must sign an execution: its cosigners, and its partner (buyer, seller or holder) if it has one. Each key
 * counts once.
 */
export function signersOf({
  cosigners,
  partner,
}: {
  cosigners: readonly Signer[];
  partner: Signer | null;
}): readonly Signer[] {
  const all = partner ? [...cosigners, partner] : cosigners;
  return [...new Map(all.map((signer) => [signer.keyHash, signer])).values()];
}

/** How many of the required signatures a frozen transaction has. */
export interface SignatureProgress {
  readonly required: number;
  readonly present: number;
  readonly missing: number;
  /** The wallets that have not signed. */
  readonly missingSigners: readonly string[];
}

/** Counts the signers of a frozen transaction whose keys are among `signed`. */
export function signatureProgress(signers: readonly Signer[], signed: ReadonlySet<string>): SignatureProgress {
  const missingSigners = signers.filter(({ keyHash }) => !signed.has(keyHash)).map(({ wallet }) => wallet);
  const missing = missingSigners.length;
  return { required: signers.length, present: signers.length - missing, missing, missingSigners };
}

/** Throws INSUFFICIENT_SIGNATURES with {required, present, missing, missingSigners} unless all have signed (design D28). */
export function requireSignatures(signers: readonly Signer[], signed: ReadonlySet<string>): void {
  const progress = signatureProgress(signers, signed);
  if (progress.missing > 0) throw new ServiceError('INSUFFICIENT_SIGNATURES', { ...progress });
}
