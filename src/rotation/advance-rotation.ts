import { isOnLedger, isOpen } from '../transactions/rules/transaction-state.ts';
import type { Rotation } from './rules/rotation.ts';
import { moveKinds } from './rules/transaction-kinds.ts';
import { type Instant, secondsAfter } from '../platform/units/instant.ts';
import { getRotation } from './queries/rotations.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import type { RotationStage } from '../platform/temporal/rotation-activities.ts';
import { beginRotation } from './begin-rotation.ts';
import { changeVaultCustody } from './change-vault-custody.ts';
import { finishRotation } from './finish-rotation.ts';
import { isAnythingToMove, type RotationContext } from './prepare-move.ts';

/** How long a vault that a rollback has unlocked is left alone. */
const UNLOCKED_SECONDS = 60;

/**
 * Takes the steps of a rotation that need no transaction, and returns the step that it is in. What is done is read from Postgres and the
 * ledger each time, so it can be repeated after a crash or a rollback. Throws LEDGER_UNAVAILABLE.
 */
export async function advanceRotation(
  context: RotationContext,
  { rotationId, now }: { readonly rotationId: string; readonly now: Instant },
): Promise<RotationStage> {
  const rotation = await getRotation(context.db, rotationId);
  return { prepares: false, until: null, ...(await stageOf(context, rotation, now)) };
}

type Stage = Pick<RotationStage, 'step'> & Partial<RotationStage>;

async function stageOf(context: RotationContext, rotation: Rotation, now: Instant): Promise<Stage> {
  if (rotation.finishedAt !== null) return { step: 'finished' };
  if (rotation.cancelledAt !== null) return { step: 'cancelled' };
  if (rotation.begunAt === null) {
    if (now < rotation.startsAt) return { step: 'notice', until: rotation.startsAt };
    const begun = await beginRotation(context, rotation, now);
    if (begun === 'cancelled') return { step: 'cancelled' };
    if (begun === 'not_settled') return { step: 'notice', until: secondsAfter(now, UNLOCKED_SECONDS) };
  }
  if (rotation.changedAt === null && !(await changeVaultCustody(context, rotation, now)))
    return { step: 'end_executions' };
  return stageOfMoves(context, rotation, now);
}

/** Outputs are moved until none is left and all that moved them is final. */
async function stageOfMoves(context: RotationContext, rotation: Rotation, now: Instant): Promise<Stage> {
  const moves = await vaultTransactions(context.db, rotation.vaultId, moveKinds);
  const open = moves.filter(({ state }) => isOpen(state));
  const prepares = open.some(({ state }) => !isOnLedger(state)) || (await isAnythingToMove(context, rotation.vaultId));
  if (prepares || open.length > 0) return { step: 'move_outputs', prepares };
  await finishRotation(context, rotation, now);
  return { step: 'finished' };
}
