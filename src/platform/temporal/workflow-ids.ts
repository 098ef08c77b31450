/** Workflow ids are made from the ids of what they run, so a repeated start joins the same run (design §4). */
export type WorkflowId =
  `vault-${string}` | `tx-${string}` | `anchor-${string}` | `proposal-${string}` | `rotation-${string}`;

export function vaultWorkflowId(vaultId: string): WorkflowId {
  return `vault-${vaultId}`;
}

export function transactionWorkflowId(transactionId: string): WorkflowId {
  return `tx-${transactionId}`;
}

const transactionWorkflow = /^tx-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** The transaction of a workflow; null for a workflow of another kind, and for an id that was damaged. */
export function transactionOfWorkflow(workflowId: WorkflowId): string | null {
  return transactionWorkflow.exec(workflowId)?.[1] ?? null;
}

export function anchorSubmitterWorkflowId(anchorChainId: string): WorkflowId {
  return `anchor-${anchorChainId}`;
}

export function proposalWorkflowId(proposalId: string): WorkflowId {
  return `proposal-${proposalId}`;
}

export function rotationWorkflowId(rotationId: string): WorkflowId {
  return `rotation-${rotationId}`;
}

/** The queue of the follower's activity, beside the one of all others. */
export function ledgerTaskQueue(taskQueue: string): string {
  return `${taskQueue}-ledger`;
}

export const ledgerFollowerId = 'ledger-follower';
export const lostWorkflowsId = 'lost-workflows';
export const unsolicitedScanId = 'unsolicited-look';
