import { workflowChanges } from '../../src/temporal/workflow-changes.ts';

/** What a release of before the end of votes with their vault, and of all later changes, knows. */
export const oldChanges: readonly string[] = workflowChanges.slice(0, workflowChanges.indexOf('vaults-end-votes'));
