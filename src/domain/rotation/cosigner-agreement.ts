import type { Cosigners } from '../transaction/signatures.ts';

/** What each cosigner of a rotation signs (CIP-8): that they have the key, and agree to these cosigners of this vault. Present ones sign the same. */
export function cosignerAgreement(vaultId: string, { required, keyHashes }: Cosigners): string {
  return `Cosign for vault ${vaultId}: ${required} of ${keyHashes.toSorted().join(', ')}`;
}

/** Whether as many of the present cosigners agree as have to sign what moves; a vault without cosigners needs nobody. */
export function isAgreed(present: Cosigners | null, agreeing: readonly string[]): boolean {
  if (present === null) return true;
  return present.keyHashes.filter((keyHash) => agreeing.includes(keyHash)).length >= present.required;
}
