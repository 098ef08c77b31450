import { vaultAddresses } from '../../chain/scripts/vault-addresses.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import type { VaultPlaces } from '../../store/books/output-sources.ts';
import type { Vault } from '../../store/vaults.ts';

/** The addresses that a vault itself has, without those of its depositors and stakers. */
export function ownPlaces(vault: Vault, networkId: NetworkId): VaultPlaces {
  return { vaultId: vault.id, own: vaultAddresses(vault, { depositors: [], stakeAddresses: [] }, networkId) };
}
