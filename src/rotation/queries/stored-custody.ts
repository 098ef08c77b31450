import type { VaultCustody } from '../../vaults/rules/vault-custody.ts';
import { readCosigners, type StoredCosigners, storedCosigners } from '../../executions/queries/stored-cosigners.ts';

/** A custody of a vault as JSON. */
export interface StoredCustody extends Omit<VaultCustody, 'cosigners'> {
  readonly cosigners: StoredCosigners | null;
}

export function storedCustody({ vaultKeyHash, cosigners, contractAddress }: VaultCustody): StoredCustody {
  return { vaultKeyHash, cosigners: cosigners && storedCosigners(cosigners), contractAddress };
}

export function readCustody({ cosigners, ...custody }: StoredCustody): VaultCustody {
  return { ...custody, cosigners: cosigners && readCosigners(cosigners) };
}
