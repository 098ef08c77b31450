import type { RegisteredCosigners } from './registered-cosigners.ts';

/** The address at which a vault keeps what belongs to its holders, and what guards it. A rotation gives a vault another one. */
export interface VaultCustody {
  readonly vaultKeyHash: string;
  /** Null when it has none. */
  readonly cosigners: RegisteredCosigners | null;
  readonly contractAddress: string;
}
