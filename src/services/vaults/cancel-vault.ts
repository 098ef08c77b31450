import type { Caller } from '../../domain/identity/caller.ts';
import { requireMayActFor } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { vaultActionRefusal } from '../../domain/vault/allowed-actions.ts';
import { closeFence } from '../../store/fences.ts';
import { findPlan } from '../../store/settlements.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { recordCancelRequest } from '../../store/vault-changes.ts';
import { getWindows } from '../../store/windows.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import { publishAction } from '../publish.ts';
import { requireReadableVault } from './vault-access.ts';
import { actionSnapshot, type VaultView, viewVault } from './vault-view.ts';

interface CancelVault {
  readonly vaultId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Requests the cancellation of a vault while no settlement is planned (design D30); its workflow returns all deposits. Only for
 * the admin of the vault and keys that may act for them. Returns the vault after the request. Throws VAULT_NOT_FOUND,
 * INSUFFICIENT_PERMISSIONS, VAULT_ALREADY_ENDED and VAULT_NOT_CANCELLABLE.
 */
export async function cancelVault(
  context: TransactionContext,
  { vaultId, caller, correlationId }: CancelVault,
): Promise<VaultView> {
  const { tx, ids, now } = context;
  await closeFence(tx, `vault:${vaultId}`);
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
  const onBehalfOf = requireMayActFor(caller, vault.createdBy);
  const snapshot = actionSnapshot(vault, await getWindows(tx, vaultId), (await findPlan(tx, vaultId)) !== null);
  const refusal = vaultActionRefusal('cancel', snapshot, now);
  if (refusal) throw new ServiceError(refusal);

  await recordCancelRequest(context, vaultId);
  await enqueueWorkflowMessage({ tx, ids }, vaultWorkflowId(vaultId), { kind: 'signal', signal: 'cancelRequested' });
  await publishAction(context, {
    action: 'VAULT_CANCEL_REQUESTED',
    vaultId,
    actor: vault.createdBy,
    transactionHash: null,
    eventData: {},
    resource: { type: 'vault', id: vaultId },
    metadata: {},
    caller,
    onBehalfOf,
    correlationId,
  });
  return viewVault(tx, await requireReadableVault({ db: tx }, caller, vaultId), now);
}
