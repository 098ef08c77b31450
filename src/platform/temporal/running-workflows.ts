import { type Client, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { WorkflowStart } from './messages.ts';
import { ledgerFollowerId } from './workflow-ids.ts';

const PAGE = 1000;

const ends = ['COMPLETED', 'FAILED', 'TERMINATED', 'CANCELLED', 'TIMED_OUT'] as const;
/**
 * How the last run of a workflow ended, as Temporal knows it. `ABSENT`: there never was one, or Temporal has lost it. `STUCK`: it runs and
 * cannot continue.
 */
export const runEnds = [...ends, 'ABSENT', 'STUCK'] as const;
export type RunEnd = (typeof runEnds)[number];

/** Temporal sets it once several tasks of a run have failed one after the other, and removes it when one succeeds. */
const reportedProblems = defineSearchAttributeKey('TemporalReportedProblems', SearchAttributeType.KEYWORD_LIST);
/** Tasks that nobody answers in time have another category: their workers are busy or away. */
const TASKS_FAIL = 'category=WorkflowTaskFailed';

/** What may be lost. */
export const lostKinds = [
  'vault',
  'proposal',
  'rotation',
  'transaction',
  'anchorSubmitter',
  'ledgerFollower',
] as const satisfies readonly (WorkflowStart['workflow'] | 'ledgerFollower')[];

/** A workflow with something left to do that did not run, and how it had ended. */
export interface LostWorkflow {
  readonly workflowId: string;
  readonly kind: (typeof lostKinds)[number];
  readonly end: RunEnd;
}

/** Which workflows Temporal runs. */
export interface RunningWorkflows {
  /** The types of all that run and can continue, by id; one that has just started may be missing. */
  list(): Promise<Map<string, string>>;
  /** How a workflow of a type ended; null when it runs. */
  endOf(workflowId: string, type: string): Promise<RunEnd | null>;
  /** Ends a run that is stuck, so that another one can be started. */
  terminate(workflowId: string): Promise<void>;
  /** Starts the workflow that follows the ledger, unless it is running. */
  startLedgerFollower(): Promise<void>;
}

/** Asks a Temporal server which workflows it runs. */
export function createRunningWorkflows(client: Client, taskQueue: string): RunningWorkflows {
  const { workflow } = client;
  /** One whose task fails again and again, for a signal or an input that cannot be read, or that nobody takes the tasks of, cannot. */
  const canGoOn = (run: Pick<WorkflowExecutionInfo, 'taskQueue' | 'typedSearchAttributes'>) =>
    run.taskQueue === taskQueue && run.typedSearchAttributes.get(reportedProblems)?.includes(TASKS_FAIL) !== true;
  return {
    async list() {
      const types = new Map<string, string>();
      for await (const run of workflow.list({ query: `ExecutionStatus = 'Running'`, pageSize: PAGE }))
        if (canGoOn(run)) types.set(run.workflowId, run.type);
      return types;
    },
    async endOf(workflowId, type) {
      try {
        const run = await workflow.getHandle(workflowId).describe();
        if (run.status.name === 'RUNNING') return run.type === type && canGoOn(run) ? null : 'STUCK';
        return ends.find((end) => end === run.status.name) ?? null;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'ABSENT';
        throw error;
      }
    },
    async terminate(workflowId) {
      await workflow.getHandle(workflowId).terminate('It was stuck, and is started again.');
    },
    async startLedgerFollower() {
      const options = { workflowId: ledgerFollowerId, taskQueue, workflowIdConflictPolicy: 'USE_EXISTING' as const };
      await workflow.start('ledgerFollower', options);
    },
  };
}
