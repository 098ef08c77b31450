import type { Vault } from '../../vaults/queries/vaults.ts';

/** The governance settings that a vault's creator requested, except the thresholds; durations in seconds. */
export interface GovernanceSettings {
  readonly votingSeconds?: number;
  readonly lockSeconds?: number;
  readonly executionSeconds?: number;
  readonly requiredCosigners?: number;
  /** Where the vault may stake its assets. */
  readonly stakingAddresses?: readonly string[];
}

/** The requested settings of a vault; settings that were not given are absent. */
export function governanceSettings({ metadata }: Pick<Vault, 'metadata'>): GovernanceSettings {
  return metadata['governance'] ?? {};
}

/** Where a vault may stake its assets. */
export function stakingAddressesOf(vault: Pick<Vault, 'metadata'>): readonly string[] {
  return governanceSettings(vault).stakingAddresses ?? [];
}
