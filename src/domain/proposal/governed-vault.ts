import type { ErrorCode } from '../errors.ts';
import type { ProposalType } from './proposal.ts';
import type { VaultStatus, TerminationReason } from '../vault/vault.ts';

/** What decides whether a vault can be governed. */
export interface GovernedVault {
  readonly status: VaultStatus;
  /** Set as soon as the vault starts to end. */
  readonly failedBecause: TerminationReason | null;
  /** Whether its holders can claim, and decide sales, while it ends. */
  readonly claimsOpen: boolean;
}

/** The error code for stakes, proposals, endorsements and executions in a vault; undefined while it allows them (design D23, D31). */
export function governanceRefusal({ status, failedBecause, claimsOpen }: GovernedVault): ErrorCode | undefined {
  if (status === 'TERMINATED' || (failedBecause !== null && !claimsOpen)) return 'VAULT_ALREADY_ENDED';
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}

/** Whether a vault refuses a proposal of a type because it ends: while the claims on it run, its holders can only sell. */
export function isRefusedWhileEnding({ claimsOpen }: Pick<GovernedVault, 'claimsOpen'>, type: ProposalType): boolean {
  return claimsOpen && type !== 'ASSET_SALE';
}
