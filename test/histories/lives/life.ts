import { setTimeout as pause } from 'node:timers/promises';
import type { runWorkflow } from '../../stack/run-workflow.ts';
import { until } from '../../stack/until.ts';

type Running = Awaited<ReturnType<typeof runWorkflow>>;

/** A life of a workflow, with activities that take it along one path. Its runs are what is recorded. */
export interface Life {
  readonly type: string;
  readonly workflowId: string;
  readonly input: object | null;
  readonly activities: Readonly<Record<string, unknown>>;
  /** Makes it continue until what is to be recorded has happened. */
  readonly drive: (running: Running) => Promise<void>;
  /** Whether its histories are short because its runs continue as new early. */
  readonly continues?: true;
}

/** A workflow that is signalled continues wherever it is. Signals it until it has ended. */
export function endBySignals(signal: string): Life['drive'] {
  return async (running) => {
    const isOver = async () => {
      if ((await running.handle.describe()).status.name !== 'RUNNING') return true;
      // It may end meanwhile.
      await running.handle.signal(signal).catch(() => undefined);
      // Each signal is six events of a history that should be short.
      await pause(500);
      return false;
    };
    await until(isOver, { what: 'the workflow to end', deadlineMs: 60_000 });
  };
}

/** Waits until the workflow shows a text. */
export async function shows(running: Running, text: string): Promise<void> {
  await until(async () => (await running.details()).includes(text), { what: text, deadlineMs: 60_000 });
}

/** An activity that returns these results one after the other, and then the last one again and again. An Error is thrown. */
export function returning<Result>(...results: readonly (Result | Error)[]): () => Promise<Result> {
  let calls = 0;
  return () => {
    const result = results[Math.min(calls, results.length - 1)] as Result | Error;
    calls += 1;
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  };
}
