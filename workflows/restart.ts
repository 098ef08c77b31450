import { continueAsNew, workflowInfo } from '@temporalio/workflow';

/** Continues a workflow as a new one once its history is long; the next run continues with these arguments, and with what is in Postgres. */
export async function restartWhenLong(...args: unknown[]): Promise<void> {
  if (workflowInfo().continueAsNewSuggested) await continueAsNew(...args);
}
