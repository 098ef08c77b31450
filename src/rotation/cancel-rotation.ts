import type { Caller } from '../access/rules.ts';
import { publishAction } from '../events/publish.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { rotationWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { setRotationCancelled, findRotation } from './queries.ts';
import { rotationStatus } from './rules.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { requireReadableVault } from '../vaults/require-vault.ts';

interface CancelRotation {
  readonly vaultId: string;
  readonly rotationId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Cancels a rotation before it begins. */
export async function cancelRotation(context: TransactionContext, input: CancelRotation): Promise<void> {
  const { vaultId, rotationId, caller, correlationId } = input;
  await requireReadableVault(context.tx, caller, vaultId);
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
