import { patched } from '@temporalio/workflow';

/**
 * Every change of the workflows that adds or removes events of a history, by its id, oldest first. Ids stay in histories: none is
 * removed, renamed or used twice.
 */
type WorkflowChange =
  | 'hold-for-failures'
  | 'signals-at-the-end'
  | 'restart-in-waits'
  | 'refunds-of-a-settlement'
  | 'termination'
  | 'programmed-end'
  | 'vaults-end-votes'
  | 'batches-in-flight'
  | 'hold-for-expiries'
  | 'bounded-waits'
  | 'restart-between-pages';

/** Whether a run acts as it does since a change; false while it repeats a history of before. */
export function hasChange(change: WorkflowChange): boolean {
  return patched(change);
}
