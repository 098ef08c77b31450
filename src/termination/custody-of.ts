import type { Custody } from '../cardano/build/custody.ts';
import { custodyScript } from '../cardano/scripts/vault-scripts.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

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
