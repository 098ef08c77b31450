import type { Caller } from '../../domain/identity/caller.ts';
import { actingFor } from '../../domain/identity/caller.ts';
import { vaultActionRefusal } from '../../domain/vault/allowed-actions.ts';
import { ServiceError } from '../../domain/errors.ts';
import { recordEvent } from '../../store/events.ts';
import { closeFence } from '../../store/fences.ts';
import { findPlan } from '../../store/settlements.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { requestCancel } from '../../store/vaults.ts';
import { getWindows } from '../../store/windows.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { actionSnapshot, requireReadableVault } from './read-vaults.ts';
import { publish } from '../publish.ts';

interface Cancellation {
  readonly vaultId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Has a vault end with everything returned, while no settlement is planned (design D30). Open to the vault's admin.
 * Raises VAULT_NOT_FOUND, INSUFFICIENT_PERMISSIONS, VAULT_ALREADY_ENDED and VAULT_NOT_CANCELLABLE.
 */
export async function cancelVault(
  { tx, now }: TransactionContext,
  { ids }: Pick<ServiceContext, 'ids'>,
  { vaultId, caller, correlationId }: Cancellation,
): Promise<void> {
  await closeFence(tx, `vault:${vaultId}`);
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
  const onBehalfOf = actingFor(caller, vault.createdBy);
  const facts = actionSnapshot(vault, await getWindows(tx, vaultId), (await findPlan(tx, vaultId)) !== null);
  const refusal = vaultActionRefusal('cancel', facts, now);
  if (refusal) throw new ServiceError(refusal);

  await requestCancel(tx, vaultId, now);
  await enqueueWorkflowMessage(tx, ids, vaultWorkflowId(vaultId), { kind: 'signal', signal: 'cancelRequested' });
  const told = { actor: vault.createdBy, transactionHash: null, correlationId, data: {} };
  await recordEvent(tx, ids, { type: 'VAULT_CANCEL_REQUESTED', vaultId, ...told }, now);
  const deed = { action: 'VAULT_CANCEL_REQUESTED', resource: { type: 'vault', id: vaultId }, metadata: {} } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, caller, onBehalfOf } });
}
