import {
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { SearchAttributePair } from '@temporalio/common';
import { type Instant, instant, isoText } from '../src/platform/units/time.ts';
import type { VaultStatus } from '../src/vaults/rules/vault.ts';
import type { WorkflowInput, WorkflowSignal } from '../src/platform/temporal/messages.ts';
import { searchAttributes } from '../src/platform/temporal/search-attributes.ts';
import { createWaits, type Waits } from './waits.ts';

export interface Progress extends Waits {
  /** What the workflow was started with. */
  readonly input: WorkflowInput;
  /** Workflow time, which moves with every other clock when a developer moves time (design §7). */
  now(): Instant;
  /** Shows an operator in the Temporal UI the phase of the workflow, what happens in it, and when it ends. */
  setPhase(phase: string, sentence: string, endsAt?: Instant): void;
  /** Shows what happens within a phase, or how it ended. Adds no event to the history. */
  setDetails(sentence: string, until?: Instant): void;
  /** Shows a sentence after all others until it is taken away; it adds no event either. */
  setNote(sentence: string | null): void;
  /** Shows the status of the vault from now on; `setPhase` repeats it. */
  setVaultStatus(status: VaultStatus | undefined): void;
  /** Returns a function that says whether a signal has come since. */
  watchSignals(): () => boolean;
}

/**
 * How every workflow keeps time, receives signals and shows its progress. Signals only wake it: what happened is read from
 * Postgres, so a workflow can continue from its input alone.
 */
export function trackProgress(input: WorkflowInput, signals: readonly WorkflowSignal[]): Progress {
  let vaultStatus: VaultStatus | undefined;
  const details = createDetails();
  const watchSignals = receiveSignals(signals);
  const now = (): Instant => instant(Date.now() + input.clockOffsetMs);

  return {
    input,
    now,
    setPhase(phase, sentence, endsAt) {
      details.set(sentence, endsAt);
      upsertSearchAttributes([
        { key: searchAttributes.phase, value: phase },
        { key: searchAttributes.phaseEndsAt, value: endsAt === undefined ? null : new Date(endsAt) },
        ...statusAttribute(vaultStatus),
      ]);
    },
    setDetails: details.set,
    setNote: details.setNote,
    setVaultStatus(status) {
      const hasChanged = vaultStatus !== undefined && status !== vaultStatus;
      vaultStatus = status;
      if (hasChanged) upsertSearchAttributes(statusAttribute(status));
    },
    watchSignals,
    ...createWaits({ input, now, watchSignals, reason: details.sentence }),
  };
}

/** Receives these signals from now on, and those that came before the first task. Returns `watchSignals`. */
function receiveSignals(signals: readonly WorkflowSignal[]) {
  let received = 0;
  for (const signal of signals) {
    setHandler(defineSignal(signal), () => {
      received += 1;
    });
  }
  return () => {
    const before = received;
    return () => received > before;
  };
}

/**
 * The current details in the Temporal UI: what the workflow waits for and until when, and a note after it. The summary that Temporal shows of
 * the first run is not one of later runs, so these show it here.
 */
function createDetails() {
  const { memo, continuedFromExecutionRunId: earlier } = workflowInfo();
  const title = earlier === undefined ? undefined : memo?.['title'];
  let sentence = 'Reading the remaining work from Postgres.';
  let until: Instant | undefined;
  let note: string | null = null;
  const show = () => {
    const parts = [sentence, until === undefined ? null : `Until **${isoText(until)}**.`, note, title];
    setCurrentDetails(parts.filter((part) => typeof part === 'string').join('\n\n'));
  };
  show();
  return {
    sentence: () => sentence,
    set: (newSentence: string, newUntil?: Instant) => {
      sentence = newSentence;
      until = newUntil;
      show();
    },
    setNote: (newNote: string | null) => {
      note = newNote;
      show();
    },
  };
}

function statusAttribute(status: VaultStatus | undefined): SearchAttributePair[] {
  return status === undefined ? [] : [{ key: searchAttributes.vaultStatus, value: status }];
}
