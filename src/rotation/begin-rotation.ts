import type { Rotation } from './rules/rotation.ts';
import type { Instant } from '../platform/units/instant.ts';
import { closeFence } from '../platform/database/fences.ts';
import { setRotationBegun, setRotationCancelled } from './queries/rotation-changes.ts';
import { getRotation } from './queries/rotations.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { RotationContext } from './prepare-move.ts';

/**
 * Begins an announced rotation, once: from then on no execution of the vault is frozen or sent, and its end waits. One whose vault
 * ends is cancelled; a vault that a rollback has unlocked is waited for.
 */
export function beginRotation(
  { unitOfWork }: Pick<RotationContext, 'unitOfWork'>,
  { id, vaultId }: Pick<Rotation, 'id' | 'vaultId'>,
  now: Instant,
): Promise<'begun' | 'cancelled' | 'not_settled'> {
  return unitOfWork(async (work) => {
    const context = { ...work, now };
    await closeFence(context.tx, `custody:${vaultId}`);
    const { status, failedBecause } = await lockVaultRow(context.tx, vaultId);
    const rotation = await getRotation(context.tx, id);
    const source = { ...platformEventFields(vaultId), transactionHash: null, data: { rotationId: id } };
    if (rotation.cancelledAt !== null) return 'cancelled';
    if (rotation.begunAt !== null) return 'begun';
    if (failedBecause !== null || status === 'TERMINATED') {
      await setRotationCancelled(context, rotation);
      await publish(context, { event: { type: 'ROTATION_CANCELLED', ...source } });
      return 'cancelled';
    }
    if (status !== 'LOCKED') return 'not_settled';
    await setRotationBegun(context, rotation);
    await publish(context, { event: { type: 'ROTATION_BEGUN', ...source } });
    return 'begun';
  });
}
