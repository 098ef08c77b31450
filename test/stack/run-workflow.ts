import { afterAll } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createWorkflowTime } from '../../embedded/dev/workflow-time.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import type { WorkflowSignal } from '../../src/platform/temporal/messages.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { sharedStack } from './shared-stack.ts';
import { unusedNamespace } from './test-database.ts';
import { until } from './until.ts';

interface WorkflowToRun {
  readonly type: string;
  /** Of no other workflow that runs in the same file at the same time. */
  readonly workflowId: string;
  readonly input: object | null;
  readonly activities: object;
}

type Activity = (...args: unknown[]) => unknown;

/** What each workflow of the file calls, by its id. */
const activitiesOf = new Map<string, Readonly<Record<string, Activity>>>();
let runner: ReturnType<typeof startRunner> | undefined;

afterAll(async () => {
  const started = await runner;
  await started?.stop();
});

/** One worker for all workflows of a file. A worker for each costs half a second of CPU. */
async function startRunner() {
  const address = sharedStack().temporalAddress;
  const namespace = await unusedNamespace();
  const taskQueue = 'workflows-of-this-file';
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: sharedStack().workflowBundle },
    activities: { default: callActivity },
    workflowThreadPoolSize: 1,
  });
  const running = worker.run();
  const client = connectTemporal({ address, namespace, taskQueue });
  return {
    client,
    taskQueue,
    time: createWorkflowTime(client),
    async stop() {
      worker.shutdown();
      await running;
      await client.connection.close();
      await connection.close();
    },
  };
}

/** Called for every activity: the worker knows none by name. */
function callActivity(...args: unknown[]): unknown {
  const { activityType, workflowExecution } = activityInfo();
  const run = activitiesOf.get(workflowExecution?.workflowId ?? '')?.[activityType];
  if (!run) throw new Error(`the test has no activity ${activityType}`);
  return run(...args);
}

/** Runs one workflow with activities of the test's own, as a worker would. */
export async function runWorkflow({ type, workflowId, input, activities }: WorkflowToRun) {
  runner ??= startRunner();
  const { client, taskQueue, time } = await runner;
  activitiesOf.set(workflowId, activities as Readonly<Record<string, Activity>>);
  await client.workflow.start(type, { workflowId, taskQueue, args: [input] });
  const handle = client.workflow.getHandle(workflowId);
  const details = async () =>
    (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  return {
    /** For messages to the workflow. */
    client,
    handle,
    taskQueue,
    signal: (name: WorkflowSignal) => handle.signal(name),
    /** What an operator reads in the Temporal UI. */
    details,
    /** Waits until an operator reads this. */
    shows: (text: string) => until(async () => (await details()).includes(text), { what: `"${text}"` }),
    /** What operators find the workflow by: its phase, and when that ends. */
    async phase() {
      const { typedSearchAttributes: found } = await handle.describe();
      return { name: found.get(searchAttributes.phase), endsAt: found.get(searchAttributes.phaseEndsAt)?.getTime() };
    },
    historyLength: async (runId: string) =>
      (await client.workflow.getHandle(workflowId, runId).describe()).historyLength,
    runId: async () => (await handle.describe()).runId,
    /** Whether no task of the workflow waits or is under way. */
    hasReadSignals: async () => !(await handle.describe()).raw.pendingWorkflowTask,
    /** Whether it only waits, for time or for a signal. */
    isIdle: async () => (await time.activity(workflowId))?.idle,
    /** Moves the workflow's time to this many milliseconds ahead of the wall clock, once it only waits: a busy one may go too far. */
    async moveTo(offsetMs: number) {
      await until(async () => (await time.activity(workflowId))?.idle ?? true, { what: 'the workflow to wait' });
      await time.moveTo(workflowId, offsetMs);
    },
    async [Symbol.asyncDispose]() {
      await handle.terminate().catch(() => undefined);
    },
  };
}
