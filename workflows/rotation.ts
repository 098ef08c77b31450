import type { RotationStage } from '../src/platform/temporal/activity-types.ts';
import type { RotationInput } from '../src/platform/temporal/messages.ts';
import { rotations } from './activity-proxies.ts';
import { type Step, untilDone, waitForHeld } from './attempts.ts';
import { submitUntilConfirmed } from './submit.ts';
import { type Progress, trackProgress } from './progress.ts';
import { restartWhenLong } from './restart.ts';

const sentences: Readonly<Record<RotationStage['step'], string>> = {
  notice: 'Announced. Waiting for the end of the notice.',
  end_executions: 'Waiting until the submitted executions are final or have failed.',
  move_outputs: 'Moving all outputs of the vault to its new custody. Waiting until each move is final.',
  finished: 'Everything is in the new custody.',
  cancelled: 'Cancelled before it began.',
};

/**
 * Changes the key of a vault, its cosigners, or both, by moving what it has step by step. What is done is read before each step, so a crash
 * or a rollback only repeats steps.
 */
export async function rotation(input: RotationInput): Promise<RotationStage['step']> {
  const { vaultId } = input;
  const progress = trackProgress(input, ['transactionChanged', 'cancelRequested']);
  let shown = '';
  const read = async () => {
    const stage = await advance(progress, input);
    if (`${stage.step} ${stage.until}` !== shown)
      progress.setPhase(`rotation_${stage.step}`, sentences[stage.step], stage.until ?? undefined);
    shown = `${stage.step} ${stage.until}`;
    return stage;
  };
  for (;;) {
    await restartWhenLong(input);
    const stage = await waitForWork(progress, read);
    if (!stage.prepares) return stage.step;
    const step = stepOf(vaultId, 'a move to the new custody');
    const outcome = await submitUntilConfirmed(progress, step, () =>
      rotations.prepareMove({ vaultId, now: progress.now() }),
    );
    // What is left is held by another transaction.
    if (outcome === 'nothing') await waitForHeld(progress, 'the outputs to move');
  }
}

/** Waits until a transaction has to be prepared, or the rotation has ended; reads again after every signal and at the end of a wait. */
async function waitForWork(progress: Progress, read: () => Promise<RotationStage>): Promise<RotationStage> {
  for (;;) {
    const stage = await progress.waitFor(async () => {
      const found = await read();
      return isWork(found) || found.until !== null ? found : null;
    });
    if (isWork(stage) || stage.until === null) return stage;
    await progress.waitUntil('the rotation begins', stage.until, async () => {
      const found = await read();
      return isWork(found) || found.until !== stage.until ? found : null;
    });
  }
}

function isWork({ step, prepares }: RotationStage): boolean {
  return prepares || step === 'finished' || step === 'cancelled';
}

async function advance(progress: Progress, { rotationId, vaultId }: RotationInput): Promise<RotationStage> {
  for (;;) {
    const next = await untilDone(progress, stepOf(vaultId, 'the next step'), () =>
      rotations.advanceRotation({ rotationId, vaultId, now: progress.now() }),
    );
    if (next !== 'due') return next;
  }
}

function stepOf(vaultId: string, name: string): Step {
  return { vaultId, name, deadline: null };
}
