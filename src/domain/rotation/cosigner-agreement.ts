import type { Cosigners } from '../transaction/signatures.ts';

/** What each cosigner of a rotation signs (CIP-8): that they have the key, and agree to this vault and these cosigners. */
export function cosignerAgreement(vaultId: string, { required, keyHashes }: Cosigners): string {
  return `Cosign for vault ${vaultId}: ${required} of ${keyHashes.toSorted().join(', ')}`;
}
