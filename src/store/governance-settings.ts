import type { Vault } from './vaults.ts';

/** What a vault's creator asked of its governance beside the thresholds; durations in seconds. */
export interface GovernanceSettings {
  readonly votingSeconds?: number;
  readonly lockSeconds?: number;
  readonly executionSeconds?: number;
  readonly requiredCosigners?: number;
  /** Where the vault may stake its assets. */
  readonly stakingAddresses?: readonly string[];
}

/** They are kept only where they were given. */
export function governanceSettings({ metadata }: Pick<Vault, 'metadata'>): GovernanceSettings {
  return metadata['governance'] ?? {};
}
