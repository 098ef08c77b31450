import { secondsAfter } from '../src/platform/units/instant.ts';
import type { Failure, TerminationStage } from '../src/platform/temporal/activity-types.ts';
import type { VaultInput } from '../src/platform/temporal/messages.ts';
import { terminations } from './activity-proxies.ts';
import { type Step, untilDone } from './attempts.ts';
import { submitUntilLanded } from './landing.ts';
import type { Progress } from './progress.ts';
import { restartWhenLong } from './restart.ts';

const sentences: Readonly<Record<TerminationStage['step'], string>> = {
  settlement: 'A rollback has removed a part of the settlement, or the decision to end.',
  end_proposals: 'The vault ends. Waiting until the executions that were sent are final, or can no longer land.',
  gather_pot: 'Gathering the ADA and the tokens of the vault, which its holders share.',
  hand_over: 'Sending assets to the wallets that were named for them.',
  claims: 'Holders return tokens for their share.',
  pay_remainder: 'Paying what nobody claimed to the wallet that was named for it.',
  close_vault: 'Leaving only tokens without value with the vault.',
  ended: 'Terminated.',
};

const ROTATING = 'The vault ends. Waiting until its rotation has moved what it has to the new custody.';

/**
 * Ends a settled vault step by step (design D31). What is done is read before each step, so a crash or a rollback only repeats steps.
 * Null when a rollback has removed a part of its settlement, or the decision.
 */
export async function terminate(progress: Progress, input: VaultInput): Promise<Failure | null> {
  const { vaultId } = input;
  const moment = () => ({ vaultId, now: progress.now() });
  let shown: TerminationStage['step'] | null = null;
  const read = async () => {
    const next = await advance(progress, vaultId, moment);
    if (shown !== next.step) progress.setPhase(next.step, sentences[next.step], next.until ?? undefined);
    shown = next.step;
    if (next.waitsFor === 'rotation') progress.setDetails(ROTATING);
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
    const prepare = () => terminations.prepareTermination({ ...moment(), step });
    const landed = await submitUntilLanded(progress, stepOf(vaultId, step), prepare);
    // What it needs is held by another transaction.
    if (landed === 'nothing') await progress.waitUntil(`another look at ${step}`, secondsAfter(progress.now(), 30));
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
  moment: () => { vaultId: string; now: ReturnType<Progress['now']> },
): Promise<TerminationStage> {
  const step = stepOf(vaultId, 'end');
  for (;;) {
    const next = await untilDone(progress, step, () => terminations.advanceTermination(moment()));
    if (next !== 'due') return next;
  }
}

function stepOf(vaultId: string, name: string): Step {
  return { vaultId, name: `the step ${name}`, deadline: null };
}
