import type { Rotation } from './rules/rotation.ts';
import type { Instant } from '../platform/units/instant.ts';
import { setRotationFinished } from './queries/rotation-changes.ts';
import { getRotation } from './queries/rotations.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { signalTransactionChanged } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { RotationContext } from './prepare-move.ts';

/** Ends a rotation that has moved everything, once: the vault can execute and end again. */
export function finishRotation(
  { unitOfWork }: Pick<RotationContext, 'unitOfWork'>,
  { id, vaultId, target }: Pick<Rotation, 'id' | 'vaultId' | 'target'>,
  now: Instant,
): Promise<void> {
  return unitOfWork(async (work) => {
    const context = { ...work, now };
    await lockVaultRow(context.tx, vaultId);
    const rotation = await getRotation(context.tx, id);
    if (rotation.finishedAt !== null) return;
    await setRotationFinished(context, rotation);
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    const data = { rotationId: id, contractAddress: target.contractAddress };
    await publish(context, { event: { type: 'ROTATION_FINISHED', ...source, data } });
    // Its end may have waited.
    await signalTransactionChanged(context, vaultWorkflowId(vaultId));
  });
}
