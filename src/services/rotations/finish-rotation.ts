import type { Rotation } from '../../domain/rotation/rotation.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { setRotationFinished } from '../../store/rotation-changes.ts';
import { getRotation } from '../../store/rotations.ts';
import { lockVaultRow } from '../../store/vaults.ts';
import { signalTransactionChanged } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import { platformEventFields, publish } from '../publish.ts';
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
