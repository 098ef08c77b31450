import type { ErrorCode } from '../errors.ts';
import type { VaultStatus, TerminationReason } from '../vault/vault.ts';

/** What decides whether a vault can be governed. */
export interface GovernedVault {
  readonly status: VaultStatus;
  /** Set as soon as the vault starts to end. */
  readonly failedBecause: TerminationReason | null;
}

/** The error code for stakes, proposals, endorsements and executions in a vault; undefined while it allows them (design D23). */
export function governanceRefusal({ status, failedBecause }: GovernedVault): ErrorCode | undefined {
  if (status === 'TERMINATED' || failedBecause !== null) return 'VAULT_ALREADY_ENDED';
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}
