import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { createTimeSkipping, type TimeSkipping } from './time-skipping.ts';

/** A workflow's clock may stay behind by this much, and by as much as the workflow was busy meanwhile. */
const TOLERANCE_MS = 1000;
/** Time limit without any progress: a skip of a year has some 55 steps. */
const TIMEOUT_SECONDS = 60;
/** The first pause, and the longest: each look costs the server some milliseconds. */
const [POLL_MS, LONGEST_POLL_MS] = [20, 150];

/** What a running workflow is doing. */
export interface WorkflowActivity {
  /** True when the workflow only waits for time or for a message. */
  readonly idle: boolean;
  readonly historyLength: number;
}

export type WorkflowTime = ReturnType<typeof createWorkflowTime>;

/** Moves the clocks of workflows by the server's own time skipping. */
export function createWorkflowTime(client: Client) {
  const timeSkipping = createTimeSkipping(client);
  return {
    /** What a workflow is doing; null when it has ended. */
    async activity(workflowId: string): Promise<WorkflowActivity | null> {
      const description = await timeSkipping.describeRunning(workflowId);
      if (description === null) return null;
      const idle = description.pendingActivities.length === 0 && !description.pendingWorkflowTask;
      return { idle, historyLength: Number(description.workflowExecutionInfo?.historyLength ?? 0) };
    },

    /** What it waits for, other than time or a message. */
    workInProgress: (workflowId: string) => workInProgress(timeSkipping, workflowId),

    /**
     * Moves a workflow to the time of all other clocks. It may stay a moment behind and is never ahead, so that no timer fires early.
     * Throws CLOCK_CANNOT_MOVE when it does not get there.
     */
    moveTo: (workflowId: string, offsetMs: number) => moveTo(timeSkipping, workflowId, offsetMs),
  };
}

async function moveTo(timeSkipping: TimeSkipping, workflowId: string, offsetMs: number): Promise<void> {
  let deadline = secondsAfter(wallClock.now(), TIMEOUT_SECONDS);
  let furthest = -Infinity;
  let skipEndsAt = Infinity;
  let pollMs = POLL_MS;
  for (let lead = await timeSkipping.leadOf(workflowId); lead !== null; lead = await timeSkipping.leadOf(workflowId)) {
    if (lead.ms > furthest + TOLERANCE_MS) deadline = secondsAfter(wallClock.now(), TIMEOUT_SECONDS);
    furthest = Math.max(furthest, lead.ms);
    if (wallClock.now() > deadline)
      throw new ServiceError('CLOCK_CANNOT_MOVE', {
        waitingFor: [`the time of ${workflowId}`, ...(await workInProgress(timeSkipping, workflowId))],
      });
    const ownTime = wallClock.now() + lead.ms;
    if (lead.skipping && ownTime < skipEndsAt - TOLERANCE_MS) {
      await pause(pollMs);
      pollMs = Math.min(LONGEST_POLL_MS, pollMs * 1.5);
      continue;
    }
    // The end of a skip may pass while the workflow is busy. The server then knows no end of it and would continue to the next
    // timer, days ahead.
    if (lead.skipping) return timeSkipping.skip(workflowId, null);
    const missing = offsetMs - (await timeSkipping.offsetAtStart(workflowId, lead.runId)) - lead.ms;
    if (missing <= TOLERANCE_MS) return;
    skipEndsAt = ownTime + missing;
    pollMs = POLL_MS;
    await timeSkipping.skip(workflowId, missing);
  }
}

/** The workflow task, and the activities with how often they were tried and why they failed. */
async function workInProgress({ describeRunning }: TimeSkipping, workflowId: string): Promise<string[]> {
  const description = await describeRunning(workflowId);
  const activities = (description?.pendingActivities ?? []).map(({ activityType, attempt, lastFailure }) => {
    const failure = lastFailure?.message ? `, after: ${lastFailure.message}` : '';
    return `${workflowId}: ${activityType?.name ?? ''}, attempt ${attempt ?? 1}${failure}`;
  });
  return description?.pendingWorkflowTask ? [`${workflowId}: its workflow task`, ...activities] : activities;
}
