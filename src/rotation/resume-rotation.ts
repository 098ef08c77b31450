import { reopenRotation } from './queries/rotation-changes.ts';
import { lastFinishedRotation } from './queries/rotations.ts';
import { lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { rotationWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { WorkerContext } from '../worker-context.ts';
import { outputsToMove } from './outputs-to-move.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId'>;

/**
 * Lets the last rotation of a vault go on when something of the vault has come to a former custody since, as a rollback can do. Throws
 * LEDGER_UNAVAILABLE.
 */
export async function resumeRotation(context: Context, vault: Vault): Promise<void> {
  const isDone = (one: Vault) => one.status === 'LOCKED' && one.rotationId === null;
  if (vault.formerCustodies.length === 0 || !isDone(vault)) return;
  if ((await outputsToMove(context, vault)).length === 0) return;
  await context.unitOfWork(async (work) => {
    const current = await lockVaultRow(work.tx, vault.id);
    const rotation = await lastFinishedRotation(work.tx, vault.id);
    if (rotation === null || !isDone(current)) return;
    await reopenRotation(work, rotation);
    const source = { ...platformEventFields(vault.id), transactionHash: null };
    const data = { rotationId: rotation.id };
    await publish(work, { event: { type: 'ROTATION_REOPENED', ...source, data } });
    const { id: rotationId, vaultId } = rotation;
    const start = { kind: 'start', workflow: 'rotation', rotationId, vaultId, again: true } as const;
    await enqueueWorkflowMessage(work, rotationWorkflowId(rotationId), start);
  });
}
