import { condition, defineSignal, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { SearchAttributePair } from '@temporalio/common';
import { type Instant, instant, isoText } from '../src/domain/units/instant.ts';
import type { VaultStatus } from '../src/domain/vault/vault.ts';
import type { WorkflowInput, WorkflowSignal } from '../src/temporal/messages.ts';
import { searchAttributes } from '../src/temporal/search-attributes.ts';

/** Reads from Postgres what a workflow waits for; null while it is not so yet. */
type Facts<Fact> = () => Promise<Fact | null>;

export interface Progress {
  /** Workflow time, moved like every other clock when a developer moves time (design §7). */
  now(): Instant;
  /** Tells an operator in the Temporal UI what is going on and until when. */
  setPhase(phase: string, sentence: string, endsAt?: Instant): void;
  /** Tells what goes on within a phase, or what came of it: no step of the workflow, so it can say so whenever it began. */
  setDetails(sentence: string): void;
  /** Tells in which status the vault is from now on; `tell` repeats it. */
  setVaultStatus(status: VaultStatus | undefined): void;
  /** Waits for the facts, reading them again after every signal, but no longer than to the deadline: then 'due'. */
  waitUntil<Fact = never>(what: string, deadline: Instant, facts?: Facts<Fact>): Promise<Fact | 'due'>;
  /** Waits for the facts however long it takes, reading them again after every signal. */
  waitFor<Fact>(facts: Facts<Fact>): Promise<Fact>;
}

/**
 * The one way a workflow keeps time, hears signals and explains itself. Signals only wake it: what happened is read
 * from Postgres, so a workflow can go on from its input alone.
 */
export function trackProgress(input: WorkflowInput, signals: readonly WorkflowSignal[]): Progress {
  let heard = 0;
  let vaultStatus: VaultStatus | undefined;
  for (const signal of signals) {
    setHandler(defineSignal(signal), () => {
      heard += 1;
    });
  }
  const now = (): Instant => instant(Date.now() + input.clockOffsetMs);

  async function read<Fact>(facts: Facts<Fact>): Promise<{ fact: Fact | null; changed: () => boolean }> {
    const before = heard;
    return { fact: await facts(), changed: () => heard > before };
  }

  return {
    now,
    setPhase(phase, sentence, endsAt) {
      setCurrentDetails(endsAt === undefined ? sentence : `${sentence}\n\nUntil **${isoText(endsAt)}**.`);
      upsertSearchAttributes([
        { key: searchAttributes.phase, value: phase },
        { key: searchAttributes.phaseEndsAt, value: endsAt === undefined ? null : new Date(endsAt) },
        ...statusAttribute(vaultStatus),
      ]);
    },
    setDetails: setCurrentDetails,
    setVaultStatus(status) {
      const isNews = vaultStatus !== undefined && status !== vaultStatus;
      vaultStatus = status;
      if (isNews) upsertSearchAttributes(statusAttribute(status));
    },
    async waitUntil(what, deadline, facts = () => Promise.resolve(null)) {
      for (;;) {
        const { fact, changed } = await read(facts);
        if (fact !== null) return fact;
        if (deadline <= now()) return 'due';
        await condition(changed, deadline - now(), { summary: what });
      }
    },
    async waitFor(facts) {
      for (;;) {
        const { fact, changed } = await read(facts);
        if (fact !== null) return fact;
        await condition(changed);
      }
    },
  };
}

function statusAttribute(status: VaultStatus | undefined): SearchAttributePair[] {
  return status === undefined ? [] : [{ key: searchAttributes.vaultStatus, value: status }];
}
