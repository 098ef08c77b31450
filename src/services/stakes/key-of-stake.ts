import { parseWalletAddress } from '../../chain/scripts/address.ts';
import { stakeAddressOf } from '../../chain/scripts/script-addresses.ts';
import type { KeyHash, NetworkId } from '../../chain/transaction.ts';
import type { Stake } from '../../store/stakes.ts';
import type { Vault } from '../../store/vaults.ts';

/**
 * The key that guards a stake together with its owner. A row that an older process wrote names none: then it is the one of the vault's
 * keys, present and former, whose script the stake is at.
 */
export function keyOfStake(
  {
    vaultKeyHash,
    wallet,
    releaseSlot,
    scriptAddress,
  }: Pick<Stake, 'vaultKeyHash' | 'wallet' | 'releaseSlot' | 'scriptAddress'>,
  vault: Pick<Vault, 'vaultKeyHash' | 'formerCustodies'>,
  networkId: NetworkId,
): KeyHash {
  if (vaultKeyHash !== null) return vaultKeyHash;
  const { paymentKeyHash: ownerKeyHash } = parseWalletAddress(wallet, networkId);
  const former = vault.formerCustodies.find(
    (custody) => stakeAddressOf(custody, { ownerKeyHash, releaseSlot }, networkId).address === scriptAddress,
  );
  return former?.vaultKeyHash ?? vault.vaultKeyHash;
}
