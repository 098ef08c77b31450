import {
  type Client,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { lostWorkflowsId, unsolicitedScanId } from './workflow-ids.ts';
import { wallClock, secondsAfter } from '../units/time.ts';

/** A lost Schedule is back after this time, with all that depends on it. */
const CHECK_EVERY_MS = 60_000;

/** A Schedule as Temporal has it. */
export interface SeenSchedule {
  readonly scheduleId: string;
  /** When it last started its workflow; null when it never did. */
  readonly startedAt: Date | null;
  /** When a run of it last succeeded; when it was created, if none is known. Null while that cannot be said. */
  readonly succeededAt: Date | null;
  readonly isPaused: boolean;
}

/** A question that is never answered would be the last one. */
const DEADLINE_SECONDS = 10;

interface KeepingDeps {
  readonly client: Pick<Client, 'schedule' | 'workflow' | 'withDeadline'>;
  readonly taskQueue: string;
  readonly onSeen: (seen: SeenSchedule) => void;
  readonly onLost: (scheduleId: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the Schedules that do not exist, brings the others to what this release says, and looks after them until it is disposed of: one
 * that was deleted, or that a restored Temporal does not know, is created again. One that an operator has paused stays paused.
 */
export async function keepSchedules(deps: KeepingDeps): Promise<Disposable> {
  for (const schedule of schedules) await createOrUpdateSchedule(deps, schedule);
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    await checkAll(deps);
    isChecking = false;
  };
  void check();
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}

async function checkAll(deps: KeepingDeps): Promise<void> {
  for (const schedule of schedules) {
    try {
      await inTime(deps, () => lookAt(deps, schedule));
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) await createAgain(deps, schedule);
      else deps.onError(error);
    }
  }
}

function inTime<Result>({ client }: KeepingDeps, ask: () => Promise<Result>): Promise<Result> {
  return client.withDeadline(secondsAfter(wallClock.now(), DEADLINE_SECONDS), ask);
}

async function lookAt(deps: KeepingDeps, schedule: Schedule): Promise<void> {
  const found = await deps.client.schedule.getHandle(schedule.scheduleId).describe();
  deps.onSeen({ ...seenOf(found), succeededAt: await lastSuccess(deps, schedule, found.info.createdAt) });
}

async function createAgain(deps: KeepingDeps, schedule: Schedule): Promise<void> {
  try {
    await inTime(deps, () => createOrUpdateSchedule(deps, schedule));
    deps.onLost(schedule.scheduleId);
  } catch (error) {
    deps.onError(error);
  }
}

/** When a run last completed, which for work of several runs is the last of them; `createdAt` when none is known. */
async function lastSuccess({ client, onError }: KeepingDeps, { workflowType }: Schedule, createdAt: Date) {
  const { key, value } = upkeepDivision;
  const query = `WorkflowType = '${workflowType}' and ExecutionStatus = 'Completed' and ${key.name} = '${value}'`;
  try {
    // The one that ended last comes first.
    for await (const { closeTime } of client.workflow.list({ query, pageSize: 1 })) return closeTime ?? null;
    return createdAt;
  } catch (error) {
    onError(error);
    return null;
  }
}

function seenOf({ scheduleId, info, state }: ScheduleDescription): Omit<SeenSchedule, 'succeededAt'> {
  return { scheduleId, startedAt: info.recentActions.at(-1)?.takenAt ?? null, isPaused: state.paused };
}

/** All that the service runs from time to time. */
const schedules = [
  { scheduleId: 'sweep', workflowType: 'sweep', every: '10 seconds' },
  { scheduleId: 'valuation-refresh', workflowType: 'valuationRefresh', every: '30 minutes' },
  { scheduleId: unsolicitedScanId, workflowType: 'unsolicitedScan', every: '30 minutes' },
  { scheduleId: lostWorkflowsId, workflowType: 'lostWorkflows', every: '5 minutes' },
  { scheduleId: 'reconciliation', workflowType: 'reconciliation', every: '1 hour' },
] as const;

/** Temporal lists a run that has a division only if the query names it, so upkeep does not crowd the list of an operator. */
export const upkeepDivision = {
  key: defineSearchAttributeKey('TemporalNamespaceDivision', SearchAttributeType.KEYWORD),
  value: 'upkeep',
};

type Schedule = (typeof schedules)[number];

interface CreationDeps {
  readonly client: Pick<Client, 'schedule'>;
  readonly taskQueue: string;
}

/** Creates a Schedule, or brings the one that exists to what this release says; one that an operator has paused stays paused. */
async function createOrUpdateSchedule({ client, taskQueue }: CreationDeps, schedule: Schedule): Promise<void> {
  const options = optionsOf(schedule, taskQueue);
  try {
    await client.schedule.create({ scheduleId: schedule.scheduleId, ...options });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(schedule.scheduleId);
    await handle.update(({ state: { paused, note } }) => ({
      ...options,
      state: { paused, ...(note !== undefined && { note }) },
    }));
  }
}

function optionsOf({ scheduleId: workflowId, workflowType, every }: Schedule, taskQueue: string) {
  const typedSearchAttributes = [upkeepDivision];
  return {
    spec: { intervals: [{ every }] },
    action: { type: 'startWorkflow' as const, workflowType, workflowId, taskQueue, typedSearchAttributes },
    // A run that hangs lets no other start: `schedule_started_timestamp_seconds` then shows when it began.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const },
  };
}
