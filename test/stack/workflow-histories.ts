import type { Client } from '@temporalio/client';
import type { TestStack } from './test-stack.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';

/** What the histories of a stack's workflows say, and what makes another worker take their next task. */
export function workflowHistories({ temporal }: TestStack) {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  return {
    /** The processes that were given the workflow's tasks, the oldest first. */
    async takers(workflowId: string): Promise<string[]> {
      const started = (await eventsOf(client, workflowId)).flatMap(
        (event) => event.workflowTaskStartedEventAttributes ?? [],
      );
      return started.map(({ identity }) => identity ?? '');
    },
    /** The processes that did activities of the workflow. */
    async doers(workflowId: string): Promise<Set<string>> {
      const started = (await eventsOf(client, workflowId)).flatMap(
        (event) => event.activityTaskStartedEventAttributes ?? [],
      );
      return new Set(started.map(({ identity }) => identity ?? ''));
    },
    /** The changes that the latest run has made. */
    async changes(workflowId: string): Promise<string[]> {
      const markers = (await eventsOf(client, workflowId)).flatMap(
        (event) => event.markerRecordedEventAttributes ?? [],
      );
      return markers.flatMap(({ details }) => (details?.['patch-data']?.payloads ?? []).map(changeOf));
    },
    /** Why tasks of any workflow failed. */
    async failedTasks(): Promise<string[]> {
      const failed: string[] = [];
      for await (const { workflowId, runId } of client.workflow.list()) {
        const events = await eventsOf(client, workflowId, runId);
        for (const { workflowTaskFailedEventAttributes: task } of events)
          // A task is given up when a signal comes while the workflow ends, and done again.
          if (task && Number(task.cause) !== UNHANDLED_COMMAND)
            failed.push(`${workflowId}: ${task.failure?.message ?? ''}`);
      }
      return failed;
    },
    /** Wakes a workflow; any worker may take its next task, not only the one that has it in memory. */
    async wakeAnywhere(workflowId: string, signal: string): Promise<void> {
      const { namespace } = temporal;
      await client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } });
      await client.workflow.getHandle(workflowId).signal(signal);
    },
    async isCompleted(workflowId: string): Promise<boolean> {
      return (await client.workflow.getHandle(workflowId).describe()).status.name === 'COMPLETED';
    },
    [Symbol.asyncDispose]: () => client.connection.close(),
  };
}

const UNHANDLED_COMMAND = 1;

async function eventsOf(client: Client, workflowId: string, runId?: string) {
  return (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
}

function changeOf({ data }: { readonly data?: Uint8Array | null }): string {
  return (JSON.parse(Buffer.from(data ?? []).toString()) as { readonly id: string }).id;
}
