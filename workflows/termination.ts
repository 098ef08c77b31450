import type { Failure, TerminationStage } from '../src/platform/temporal/activity-types.ts';
import type { VaultInput } from '../src/platform/temporal/messages.ts';
import { terminations } from './activity-proxies.ts';
import { type Step, untilDone, waitForHeld } from './attempts.ts';
import { submitUntilConfirmed } from './submit.ts';
import type { Progress } from './progress.ts';
import { restartWhenLong } from './restart.ts';

const sentences: Readonly<Record<TerminationStage['step'], string>> = {
  settlement: 'A rollback has removed a part of the settlement, or the decision to end. Reading the remaining work.',
  end_proposals: 'The vault is ending. Waiting until the submitted executions are final or have failed.',
  gather_pot: 'Gathering the ADA and the tokens that holders share. Waiting until they are in the pot.',
  hand_over: 'Sending assets to their named wallets. Waiting until the transaction is final.',
  claims: 'Holders can claim their share. Waiting for the end of the claims.',
  pay_remainder: 'Paying unclaimed ADA to its named wallet. Waiting until the payment is final.',
  close_vault: 'Leaving only tokens without value with the vault. Waiting until the transaction is final.',
  ended: 'Terminated.',
};

const ROTATING = 'The vault is ending. Waiting until its rotation has finished.';

/**
 * Ends a settled vault step by step (design D31). What is done is read before each step, so a crash or a rollback only repeats steps.
 * Null when a rollback has removed a part of its settlement, or the decision.
 */
export async function terminate(progress: Progress, input: VaultInput): Promise<Failure | null> {
  const { vaultId } = input;
  const activityInput = () => ({ vaultId, now: progress.now() });
  let shown = '';
  const read = async () => {
    const next = await advance(progress, vaultId, activityInput);
    const { step, until, waitsFor } = next;
    const sentence = waitsFor === 'rotation' ? ROTATING : sentences[step];
    if (shown !== `${sentence} ${until}`) progress.setPhase(step, sentence, until ?? undefined);
    shown = `${sentence} ${until}`;
    return next;
  };
  for (;;) {
    await restartWhenLong(input);
    const stage = await waitForWork(progress, read);
    if (stage.step === 'settlement') return null;
    if (stage.step === 'ended') {
      progress.setVaultStatus('TERMINATED');
      return { reason: stage.reason };
    }
    const { step } = stage;
    const prepare = () => terminations.prepareTermination({ ...activityInput(), step });
    const outcome = await submitUntilConfirmed(progress, stepOf(vaultId, step), prepare);
    // What it needs is held by another transaction.
    if (outcome === 'nothing') await waitForHeld(progress, `the outputs of the step ${step}`);
  }
}

/** Waits until a transaction has to be prepared, or the end has come; reads again after every signal and at the end of a wait. */
async function waitForWork(progress: Progress, read: () => Promise<TerminationStage>): Promise<TerminationStage> {
  for (;;) {
    const found = await progress.waitFor(async () => {
      const stage = await read();
      return isWork(stage) || stage.until !== null ? stage : null;
    });
    if (isWork(found) || found.until === null) return found;
    const next = await progress.waitUntil('the claims end', found.until, async () => {
      const stage = await read();
      return isWork(stage) || stage.until !== found.until ? stage : null;
    });
    if (next !== 'due' && isWork(next)) return next;
  }
}

function isWork({ step, prepares }: TerminationStage): boolean {
  return prepares || step === 'settlement' || step === 'ended';
}

async function advance(
  progress: Progress,
  vaultId: string,
  activityInput: () => { vaultId: string; now: ReturnType<Progress['now']> },
): Promise<TerminationStage> {
  const step = stepOf(vaultId, 'end');
  for (;;) {
    const next = await untilDone(progress, step, () => terminations.advanceTermination(activityInput()));
    if (next !== 'due') return next;
  }
}

function stepOf(vaultId: string, name: string): Step {
  return { vaultId, name: `the step ${name}`, deadline: null };
}
