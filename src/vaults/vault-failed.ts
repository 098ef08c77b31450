import type { TerminationReason } from './rules/vault.ts';
import { platformEventFields, type Publication } from '../events/publish.ts';

/** That deposits will be returned. */
export function vaultFailed(vaultId: string, reason: TerminationReason): Publication {
  return { event: { type: 'VAULT_FAILED', ...platformEventFields(vaultId), transactionHash: null, data: { reason } } };
}
