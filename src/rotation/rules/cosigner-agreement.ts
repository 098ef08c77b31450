import type { Cosigners } from '../../transactions/rules/signatures.ts';

/** The change of a vault's cosigners that somebody agrees to. */
export interface CosignerChange {
  readonly vaultId: string;
  /** The custody that the vault has before. */
  readonly contractAddress: string;
  /** How many rotations of the vault were announced before, those that were cancelled among them. */
  readonly rotations: number;
  readonly cosigners: Cosigners;
}

/** An agreement as a wallet has signed it (CIP-8). */
export interface SignedAgreement {
  readonly address: string;
  /** COSE_Sign1 in CBOR hex; the text is in it. */
  readonly signature: string;
  /** COSE_Key in CBOR hex. */
  readonly key: string;
}

/**
 * What each cosigner of a rotation signs (CIP-8): that they have the key, and agree to these cosigners of this vault. Present ones sign the
 * same. It holds for one rotation: the next one has another number.
 */
export function cosignerAgreement({ vaultId, contractAddress, rotations, cosigners }: CosignerChange): string {
  const { required, keyHashes } = cosigners;
  const after = `instead of ${contractAddress} after ${rotations} rotations`;
  return `Cosign for vault ${vaultId}: ${required} of ${keyHashes.toSorted().join(', ')}, ${after}`;
}

/** Whether as many of the present cosigners agree as have to sign what moves; a vault without cosigners needs nobody. */
export function isAgreed(present: Cosigners | null, agreeing: readonly string[]): boolean {
  if (present === null) return true;
  return present.keyHashes.filter((keyHash) => agreeing.includes(keyHash)).length >= present.required;
}
