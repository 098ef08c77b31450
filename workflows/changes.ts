import { patched } from '@temporalio/workflow';
import type { WorkflowChange } from '../src/temporal/workflow-changes.ts';

/** Whether a run acts as it does since a change; false while it repeats a history of before, and while a worker of before may take it. */
export function hasChange(change: WorkflowChange): boolean {
  return patched(change);
}
