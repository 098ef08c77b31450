import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { transactionWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import type { TestStack } from './test-stack.ts';
import { until } from './until.ts';

/** Waits until the current details of a transaction's workflow start with this sentence. */
export async function waitForWorkflowDetails(stack: TestStack, hash: string, sentence: string): Promise<void> {
  const rows = await stack.sql.run<{ id: string }>`select id from chain_transactions where hash = ${hash}`;
  const id = transactionWorkflowId(rows[0]?.id ?? '');
  const isShown = async () => (await workflowDetails(stack, id)).startsWith(sentence);
  await until(isShown, { what: `the workflow to show "${sentence}"` });
}

/** What the Temporal UI shows as the current details of a workflow. */
export async function workflowDetails(stack: TestStack, workflowId: string): Promise<string> {
  await using temporal = open(stack);
  const workflow = temporal.client.workflow.getHandle(workflowId);
  return (await workflow.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

/** How many signals a workflow has received. */
export async function countSignals(stack: TestStack, workflowId: string): Promise<number> {
  await using temporal = open(stack);
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
}

/** The task queues that the activities of a workflow were scheduled on, by the name of the activity. */
export async function queuesOfActivities(stack: TestStack, workflowId: string): Promise<Map<string, string>> {
  await using temporal = open(stack);
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  return new Map(scheduled.map(({ activityType, taskQueue }) => [activityType?.name ?? '', taskQueue?.name ?? '']));
}

function open({ temporal }: TestStack) {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  return { client, [Symbol.asyncDispose]: () => client.connection.close() };
}
