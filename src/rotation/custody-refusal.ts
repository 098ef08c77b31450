import { verifyDataSignature } from '../cardano/keys/verify-data-signature.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { cosignerAgreement, isAgreed, type SignedAgreement } from './rules/cosigner-agreement.ts';
import type { Cosigners } from '../transactions/rules/signatures.ts';
import type { VaultCustody } from '../vaults/rules/vault-custody.ts';

/** The change of a vault's custody by a rotation. */
interface CustodyChange {
  readonly vaultId: string;
  readonly from: VaultCustody;
  readonly to: VaultCustody;
  readonly agreements: readonly SignedAgreement[] | null;
  /** How many rotations were announced before it. */
  readonly rotations: number;
}

/**
 * Why one custody may not follow another; null when it may. Cosigners are neither exchanged without as many of those before as have to sign, nor
 * alone sooner; where there are none, nobody can agree.
 */
export function custodyRefusal(
  { vaultId, from, to, agreements, rotations }: CustodyChange,
  networkId: NetworkId,
): string | null {
  const [before, after] = [from.cosigners, to.cosigners];
  if (before === null && after === null) return null;
  if (before === null || after === null)
    return 'has no cosigners before or after its rotation, so that nobody can agree';
  if (after.alone.fromSlot < before.alone.fromSlot) return 'lets its cosigners be alone sooner';
  const textOf = (some: Cosigners) =>
    cosignerAgreement({ vaultId, contractAddress: from.contractAddress, rotations, cosigners: some });
  const payload = textOf(after);
  if (textOf(before) === payload) return null;
  const signers = (agreements ?? []).map((agreement) => verifyDataSignature({ ...agreement, payload }, networkId));
  const agreed = signers.flatMap((signer) => (typeof signer === 'string' ? [] : [signer.keyHash]));
  return isAgreed(before, agreed) ? null : 'has cosigners to whom too few cosigners of before agree';
}
