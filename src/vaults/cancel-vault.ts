import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { recordCancelRequest } from './queries/vault-changes.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { publishVaultChange, requireChangeableVault, type VaultChangeInput } from './change-vault.ts';

/**
 * Requests the cancellation of a vault while no settlement is planned (design D30); its workflow returns all deposits. Throws
 * VAULT_NOT_FOUND, INSUFFICIENT_PERMISSIONS, VAULT_ALREADY_ENDED and VAULT_NOT_CANCELLABLE.
 */
export async function cancelVault(context: AnchoringContext, input: VaultChangeInput): Promise<AnchoredChange> {
  const { vaultId } = input;
  const changeable = await requireChangeableVault(context, input, 'cancel');
  await requestCancellation(context, vaultId);
  return publishVaultChange(context, changeable, input, {
    action: 'VAULT_CANCEL_REQUESTED',
    kind: 'vault_cancel_requested',
    data: {},
  });
}

/** Records that a vault is to be cancelled, and tells its workflow. */
export async function requestCancellation(context: TransactionContext, vaultId: string): Promise<void> {
  await recordCancelRequest(context, vaultId);
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), { kind: 'signal', signal: 'cancelRequested' });
}
