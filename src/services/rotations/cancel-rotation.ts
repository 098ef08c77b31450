import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { rotationStatus } from '../../domain/rotation/rotation.ts';
import { setRotationCancelled } from '../../store/rotation-changes.ts';
import { findRotation } from '../../store/rotations.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { lockVaultRow } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { rotationWorkflowId } from '../../temporal/workflow-ids.ts';
import { publishAction } from '../publish.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

interface CancelRotation {
  readonly vaultId: string;
  readonly rotationId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Cancels a rotation before it begins. Throws VAULT_NOT_FOUND, ROTATION_NOT_FOUND and ROTATION_NOT_CANCELLABLE. */
export async function cancelRotation(context: TransactionContext, input: CancelRotation): Promise<void> {
  const { vaultId, rotationId, caller, correlationId } = input;
  await requireReadableVault({ db: context.tx }, caller, vaultId);
  await lockVaultRow(context.tx, vaultId);
  const rotation = await findRotation(context.tx, { vaultId, rotationId });
  if (!rotation) throw new ServiceError('ROTATION_NOT_FOUND');
  if (rotationStatus(rotation) !== 'announced') throw new ServiceError('ROTATION_NOT_CANCELLABLE');
  await setRotationCancelled(context, rotation);
  const signal = { kind: 'signal', signal: 'cancelRequested' } as const;
  await enqueueWorkflowMessage(context, rotationWorkflowId(rotationId), signal);
  await publishAction(context, {
    action: 'ROTATION_CANCELLED',
    vaultId,
    actor: 'platform',
    transactionHash: null,
    eventData: { rotationId },
    resource: { type: 'vault', id: vaultId },
    metadata: { rotationId },
    caller,
    correlationId,
  });
}
