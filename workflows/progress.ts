import { defineSignal, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { SearchAttributePair } from '@temporalio/common';
import { type Instant, instant, isoText } from '../src/platform/units/instant.ts';
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
  setDetails(sentence: string): void;
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
      details.set(endsAt === undefined ? sentence : `${sentence}\n\nUntil **${isoText(endsAt)}**.`);
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
    ...createWaits({ input, now, watchSignals }),
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

/** The current details in the Temporal UI: a sentence, and a note after it. */
function createDetails() {
  let details = '';
  let note: string | null = null;
  const show = () => {
    setCurrentDetails(note === null ? details : `${details}\n\n${note}`);
  };
  return {
    set: (sentence: string) => {
      details = sentence;
      show();
    },
    setNote: (sentence: string | null) => {
      note = sentence;
      show();
    },
  };
}

function statusAttribute(status: VaultStatus | undefined): SearchAttributePair[] {
  return status === undefined ? [] : [{ key: searchAttributes.vaultStatus, value: status }];
}
