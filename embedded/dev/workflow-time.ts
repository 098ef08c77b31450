import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msNumberToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import { wallClock } from '../../src/domain/units/clock.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { secondsAfter } from '../../src/domain/units/instant.ts';

/** A workflow's clock may stay behind by this much, and by as much as the workflow was busy meanwhile. */
const TOLERANCE_MS = 1000;
const PATIENCE_SECONDS = 60;
const POLL_MS = 5;
/** Status WORKFLOW_EXECUTION_STATUS_RUNNING. */
const RUNNING = 1;
const NOT_FOUND = 5;

const Input = z.object({ clockOffsetMs: z.number() });

/** What a running workflow is doing. */
export interface Activity {
  /** True when it only waits for time or for a message. */
  readonly idle: boolean;
  readonly historyLength: number;
}

/** How far a workflow's own clock is ahead of wall time, and whether it is being moved. */
interface Ahead {
  readonly ms: number;
  readonly skipping: boolean;
  readonly runId: string;
}

export type WorkflowTime = ReturnType<typeof createWorkflowTime>;

/** Moves the clocks of workflows by the server's own time skipping (notes, temporal.md section 4.4). */
export function createWorkflowTime(client: Client) {
  const { workflowService } = client.connection;
  const { namespace } = client.options;
  const began = new Map<string, number>();

  /** Null for a workflow that has ended or never was. */
  async function described(workflowId: string) {
    const execution = { workflowId };
    const answer = await present(() => workflowService.describeWorkflowExecution({ namespace, execution }));
    return Number(answer?.workflowExecutionInfo?.status) === RUNNING ? answer : null;
  }

  async function ahead(workflowId: string): Promise<Ahead | null> {
    // Read before the server answers, so what the call takes makes the workflow late and not early.
    const asked = wallClock.now();
    const found = await described(workflowId);
    if (found === null) return null;
    const info = found.workflowExtendedInfo?.timeSkippingInfo;
    const ms = info?.currentTime ? tsToMs(info.currentTime) - asked : 0;
    const runId = found.workflowExecutionInfo?.execution?.runId ?? '';
    return { ms, skipping: info?.effectiveConfig?.enabled === true, runId };
  }

  /** The offset of the clock when the run started; its own time is counted from there. */
  async function offsetAtStart(workflowId: string, runId: string): Promise<number> {
    const known = began.get(runId);
    if (known !== undefined) return known;
    const execution = { workflowId, runId };
    const answer = await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
    const data = answer.history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const { clockOffsetMs } = Input.parse(JSON.parse(Buffer.from(data ?? []).toString()));
    began.set(runId, clockOffsetMs);
    return clockOffsetMs;
  }

  /** Lets so much time be skipped from now on; null ends a skip that is under way. */
  async function skip(workflowId: string, ms: number | null): Promise<void> {
    const timeSkippingConfig =
      ms === null
        ? { enabled: false }
        : { enabled: true, fastForwardConfig: { id: randomUUID(), duration: msNumberToTs(ms) } };
    await present(() =>
      workflowService.updateWorkflowExecutionOptions({
        namespace,
        workflowExecution: { workflowId },
        workflowExecutionOptions: { timeSkippingConfig },
        updateMask: { paths: ['time_skipping_config'] },
      }),
    );
  }

  return {
    /** What a workflow is doing; null when it has ended. */
    async activity(workflowId: string): Promise<Activity | null> {
      const found = await described(workflowId);
      if (found === null) return null;
      const idle = found.pendingActivities.length === 0 && !found.pendingWorkflowTask;
      return { idle, historyLength: Number(found.workflowExecutionInfo?.historyLength ?? 0) };
    },

    /**
     * Moves a workflow to where the clock of everyone else stands. It may stay a moment behind and is never ahead,
     * so no timer fires early. Raises CLOCK_CANNOT_MOVE when it does not get there.
     */
    async moveTo(workflowId: string, offsetMs: number): Promise<void> {
      const deadline = secondsAfter(wallClock.now(), PATIENCE_SECONDS);
      let skipEndsAt = Infinity;
      for (let seen = await ahead(workflowId); seen !== null; seen = await ahead(workflowId)) {
        if (wallClock.now() > deadline) {
          throw new ServiceError('CLOCK_CANNOT_MOVE', { waitingFor: [`the time of ${workflowId}`] });
        }
        const ownTime = wallClock.now() + seen.ms;
        if (seen.skipping && ownTime < skipEndsAt - TOLERANCE_MS) {
          await pause(POLL_MS);
          continue;
        }
        // The end of a skip may pass by itself while the workflow is busy. The server then knows no end of it and goes on
        // to the next timer, days ahead.
        if (seen.skipping) return skip(workflowId, null);
        const missing = offsetMs - (await offsetAtStart(workflowId, seen.runId)) - seen.ms;
        if (missing <= TOLERANCE_MS) return;
        skipEndsAt = ownTime + missing;
        await skip(workflowId, missing);
      }
    },
  };
}

/** Null when the workflow has ended or never was. */
async function present<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return null;
    throw error;
  }
}
