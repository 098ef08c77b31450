import { continueAsNew, patched, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInput } from '../src/temporal/messages.ts';

/** Continues a workflow as a new one once its history is long; it goes on from what is in Postgres. */
export async function restartWhenLong(input: WorkflowInput): Promise<void> {
  if (workflowInfo().continueAsNewSuggested) await continueAsNew(input);
}

/** As `restartWhenLong`, between two reads of a wait: thousands of signals may come in it. Earlier releases went on instead. */
export async function restartInWait(input: WorkflowInput): Promise<void> {
  if (workflowInfo().continueAsNewSuggested && patched('restart-in-waits')) await continueAsNew(input);
}
