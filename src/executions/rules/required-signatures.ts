import type { Cosigners } from '../../transactions/rules/signatures.ts';

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
