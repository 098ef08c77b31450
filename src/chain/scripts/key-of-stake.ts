import type { KeyHash, NetworkId } from '../transaction.ts';
import { parseWalletAddress } from './address.ts';
import { stakeAddressOf } from './script-addresses.ts';

/** What a row says of the script of a stake. */
interface StakeScript {
  readonly vaultKeyHash: KeyHash | null;
  readonly wallet: string;
  readonly releaseSlot: number;
  readonly scriptAddress: string;
}

interface WithKey {
  readonly vaultKeyHash: KeyHash;
}

/**
 * The key that guards a stake together with its owner. A row that an older process wrote names none: then it is the one of the vault's
 * keys, present and former, whose script the stake is at.
 */
export function keyOfStake(
  { vaultKeyHash, wallet, releaseSlot, scriptAddress }: StakeScript,
  vault: WithKey & { readonly formerCustodies: readonly WithKey[] },
  networkId: NetworkId,
): KeyHash {
  if (vaultKeyHash !== null) return vaultKeyHash;
  const { paymentKeyHash: ownerKeyHash } = parseWalletAddress(wallet, networkId);
  const former = vault.formerCustodies.find(
    (custody) => stakeAddressOf(custody, { ownerKeyHash, releaseSlot }, networkId).address === scriptAddress,
  );
  return former?.vaultKeyHash ?? vault.vaultKeyHash;
}
