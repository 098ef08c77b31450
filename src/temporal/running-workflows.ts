import { type Client, type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowStart } from './messages.ts';
import { ledgerFollowerId } from './workflow-ids.ts';

const PAGE = 1000;

const ends = ['COMPLETED', 'FAILED', 'TERMINATED', 'CANCELLED', 'TIMED_OUT'] as const;
/** How the last run of a workflow ended, as Temporal knows it; `ABSENT`: there never was one, or Temporal has lost it. */
export type RunEnd = (typeof ends)[number] | 'ABSENT';

/** A workflow with something left to do that did not run, and how it had ended. */
export interface LostWorkflow {
  readonly workflowId: string;
  readonly kind: WorkflowStart['workflow'] | 'ledgerFollower';
  readonly end: RunEnd;
}

/** Which workflows Temporal runs. */
export interface RunningWorkflows {
  /** The ids of all that run; one that has just started may be missing. */
  list(): Promise<Set<string>>;
  /** How a workflow ended; null when it runs. */
  endOf(workflowId: string): Promise<RunEnd | null>;
  /** Starts the workflow that follows the ledger, unless it is running. */
  startLedgerFollower(): Promise<void>;
}

/** Asks a Temporal server which workflows it runs. */
export function createRunningWorkflows(client: Client, taskQueue: string): RunningWorkflows {
  return {
    async list() {
      const ids = new Set<string>();
      for await (const { workflowId } of client.workflow.list({ query: `ExecutionStatus = 'Running'`, pageSize: PAGE }))
        ids.add(workflowId);
      return ids;
    },
    async endOf(workflowId) {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return readEnd(status.name);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'ABSENT';
        throw error;
      }
    },
    async startLedgerFollower() {
      const options = { workflowId: ledgerFollowerId, taskQueue, workflowIdConflictPolicy: 'USE_EXISTING' as const };
      await client.workflow.start('ledgerFollower', options);
    },
  };
}

function readEnd(status: WorkflowExecutionStatusName): RunEnd | null {
  return ends.find((end) => end === status) ?? null;
}
