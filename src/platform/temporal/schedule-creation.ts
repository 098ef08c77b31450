import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { lostWorkflowsId, unsolicitedScanId } from './workflow-ids.ts';

/** All that the service runs from time to time. */
export const schedules = [
  { scheduleId: 'sweep', workflowType: 'sweep', every: '10 seconds' },
  { scheduleId: 'valuation-refresh', workflowType: 'valuationRefresh', every: '30 minutes' },
  { scheduleId: unsolicitedScanId, workflowType: 'unsolicitedLook', every: '30 minutes' },
  { scheduleId: lostWorkflowsId, workflowType: 'lostWorkflows', every: '5 minutes' },
  { scheduleId: 'reconciliation', workflowType: 'reconciliation', every: '1 hour' },
] as const;

/** Temporal lists a run that has a division only if the query names it, so upkeep does not crowd the list of an operator. */
export const upkeepDivision = {
  key: defineSearchAttributeKey('TemporalNamespaceDivision', SearchAttributeType.KEYWORD),
  value: 'upkeep',
};

export type Schedule = (typeof schedules)[number];

interface CreationDeps {
  readonly client: Pick<Client, 'schedule'>;
  readonly taskQueue: string;
}

/** Creates a Schedule, or brings the one that exists to what this release says; one that an operator has paused stays paused. */
export async function createOrUpdateSchedule({ client, taskQueue }: CreationDeps, schedule: Schedule): Promise<void> {
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
    // A run that hangs lets none start beside it: `schedule_started_timestamp_seconds` then shows when it began.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const },
  };
}
