/**
 * Every change of the workflows that adds or removes events of a history, by its id, oldest first. Ids stay in histories: none is
 * removed, renamed or used twice.
 */
export const workflowChanges = [
  'hold-for-failures',
  'signals-at-the-end',
  'restart-in-waits',
  'refunds-of-a-settlement',
  'termination',
  'programmed-end',
  'vaults-end-votes',
  'batches-in-flight',
  'hold-for-expiries',
  'bounded-waits',
  'restart-between-pages',
  'signing-without-reads',
  'delayed-starts',
  'bounded-submissions',
] as const;

export type WorkflowChange = (typeof workflowChanges)[number];
