import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { msNumberToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import { wallClock } from '../../src/platform/units/time.ts';

/** WORKFLOW_EXECUTION_STATUS_RUNNING. */
const RUNNING = 1;
/** gRPC status code. */
const NOT_FOUND = 5;

const Input = z.object({ clockOffsetMs: z.number() });

/** How far a workflow's own clock is ahead of wall time, and whether the server is skipping time for it. */
export interface WorkflowLead {
  readonly ms: number;
  readonly skipping: boolean;
  readonly runId: string;
}

export type TimeSkipping = ReturnType<typeof createTimeSkipping>;

/**
 * The time-skipping calls of the Temporal server for single workflows: the client of the SDK has no helper for them. The server skips
 * only while the workflow runs and nothing of it is pending, and its activities still see the wall clock.
 */
export function createTimeSkipping({ connection: { workflowService }, options: { namespace } }: Client) {
  const startOffsets = new Map<string, number>();

  /** Null for a workflow that has ended or never existed. */
  async function describeRunning(workflowId: string) {
    const execution = { workflowId };
    const description = await nullIfNotFound(() => workflowService.describeWorkflowExecution({ namespace, execution }));
    return Number(description?.workflowExecutionInfo?.status) === RUNNING ? description : null;
  }

  return {
    describeRunning,

    /** Null for a workflow that has ended or never existed. */
    async leadOf(workflowId: string): Promise<WorkflowLead | null> {
      // Read before the server answers, so that the duration of the call makes the workflow late and not early.
      const requestedAt = wallClock.now();
      const description = await describeRunning(workflowId);
      if (description === null) return null;
      const info = description.workflowExtendedInfo?.timeSkippingInfo;
      const ms = info?.currentTime ? tsToMs(info.currentTime) - requestedAt : 0;
      const runId = description.workflowExecutionInfo?.execution?.runId ?? '';
      return { ms, skipping: info?.effectiveConfig?.enabled === true, runId };
    },

    /** The offset of the development clock when the run started; the run counts its own time from there. */
    async offsetAtStart(workflowId: string, runId: string): Promise<number> {
      const known = startOffsets.get(runId);
      if (known !== undefined) return known;
      const execution = { workflowId, runId };
      const page = await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
      const data = page.history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
      const { clockOffsetMs } = Input.parse(JSON.parse(Buffer.from(data ?? []).toString()));
      startOffsets.set(runId, clockOffsetMs);
      return clockOffsetMs;
    },

    /** Skips `ms` milliseconds from now on; null ends a skip that is under way. */
    async skip(workflowId: string, ms: number | null): Promise<void> {
      const timeSkippingConfig =
        ms === null
          ? { enabled: false }
          : { enabled: true, fastForwardConfig: { id: randomUUID(), duration: msNumberToTs(ms) } };
      await nullIfNotFound(() =>
        workflowService.updateWorkflowExecutionOptions({
          namespace,
          workflowExecution: { workflowId },
          workflowExecutionOptions: { timeSkippingConfig },
          updateMask: { paths: ['time_skipping_config'] },
        }),
      );
    },
  };
}

async function nullIfNotFound<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return null;
    throw error;
  }
}
