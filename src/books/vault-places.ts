import { vaultAddresses } from '../cardano/scripts/vault-addresses.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { VaultPlaces } from './queries/output-sources.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

/** The addresses that a vault itself has, without those of its depositors and stakers. */
export function ownPlaces(vault: Vault, networkId: NetworkId): VaultPlaces {
  return { vaultId: vault.id, own: vaultAddresses(vault, { depositors: [], stakeAddresses: [] }, networkId) };
}
