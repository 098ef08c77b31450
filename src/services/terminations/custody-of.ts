import type { Custody } from '../../chain/build/custody.ts';
import { custodyScript } from '../../chain/scripts/vault-scripts.ts';
import type { Vault } from '../../store/vaults.ts';

/** The custody of a vault that ends, from which its registered cosigners sign, if it has any. */
export function custodyOf(vault: Vault): Custody {
  const { vaultKeyHash, contractAddress: address, cosigners } = vault;
  return {
    address,
    script: custodyScript(vault),
    vaultKeyHash,
    cosigners: cosigners?.keyHashes ?? [],
    allCosign: cosigners === null || cosigners.required === cosigners.keyHashes.length,
  };
}
