import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { hasChange } from './changes.ts';
import type { WorkflowInput } from '../src/temporal/messages.ts';

/** Continues a workflow as a new one once its history is long; it goes on from what is in Postgres. */
export async function restartWhenLong(input: WorkflowInput): Promise<void> {
  if (workflowInfo().continueAsNewSuggested) await continueAsNew(input);
}

/** As `restartWhenLong`, between two reads of a wait: thousands of signals may come in it. Earlier releases went on instead. */
export async function restartInWait(input: WorkflowInput): Promise<void> {
  if (workflowInfo().continueAsNewSuggested && hasChange('restart-in-waits')) await continueAsNew(input);
}

/** As `restartWhenLong`, between two pages of a job: the next run goes on with what `args` say. Earlier releases went on instead. */
export async function restartBetweenPages(...args: unknown[]): Promise<void> {
  if (workflowInfo().continueAsNewSuggested && hasChange('restart-between-pages')) await continueAsNew(...args);
}
