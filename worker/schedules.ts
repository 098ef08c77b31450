import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { lostWorkflowsId, unsolicitedScanId } from '../src/temporal/workflow-ids.ts';

const schedules = [
  { scheduleId: 'sweep', workflowType: 'sweep', every: '10 seconds' },
  { scheduleId: 'valuation-refresh', workflowType: 'valuationRefresh', every: '30 minutes' },
  { scheduleId: unsolicitedScanId, workflowType: 'unsolicitedLook', every: '30 minutes' },
  { scheduleId: lostWorkflowsId, workflowType: 'lostWorkflows', every: '5 minutes' },
  { scheduleId: 'reconciliation', workflowType: 'reconciliation', every: '1 hour' },
] as const;

/** Creates the Schedules that do not exist yet. */
export async function ensureSchedules(client: Client, taskQueue: string): Promise<void> {
  for (const { scheduleId, workflowType, every } of schedules) {
    try {
      await client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every }] },
        action: { type: 'startWorkflow', workflowType, workflowId: scheduleId, taskQueue },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }
}
