import { NativeConnection, Worker } from '@temporalio/worker';
import { createWorkflowTime } from '../../embedded/dev/workflow-time.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { sharedStack } from './shared-stack.ts';
import { unusedNamespace } from './test-database.ts';

interface WorkflowToRun {
  readonly type: string;
  readonly workflowId: string;
  readonly input: object | null;
  readonly activities: object;
}

/** Runs one workflow with activities of the test's own, as a worker would. */
export async function runWorkflow({ type, workflowId, input, activities }: WorkflowToRun) {
  const address = sharedStack().temporalAddress;
  const namespace = await unusedNamespace();
  const taskQueue = 'workflows-of-this-test';
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: sharedStack().workflowBundle },
    activities,
  });
  const running = worker.run();
  const client = connectTemporal({ address, namespace, taskQueue });
  await client.workflow.start(type, { workflowId, taskQueue, args: [input] });
  const handle = client.workflow.getHandle(workflowId);
  const time = createWorkflowTime(client);
  return {
    /** For messages to the workflow. */
    client,
    handle,
    taskQueue,
    /** What an operator reads in the Temporal UI. */
    async details(): Promise<string> {
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      return currentDetails;
    },
    historyLength: async (runId: string) =>
      (await client.workflow.getHandle(workflowId, runId).describe()).historyLength,
    runId: async () => (await handle.describe()).runId,
    /** Whether no task of the workflow waits or is under way. */
    hasReadSignals: async () => !(await handle.describe()).raw.pendingWorkflowTask,
    /** Moves the workflow's time to this many milliseconds ahead of the wall clock. */
    moveTo: (offsetMs: number) => time.moveTo(workflowId, offsetMs),
    async [Symbol.asyncDispose]() {
      await handle.terminate().catch(() => undefined);
      worker.shutdown();
      await running;
      await client.connection.close();
      await connection.close();
    },
  };
}
