import { type LostWorkflowContext, restartLostWorkflows } from '../src/operations/upkeep.ts';
import type { LostWorkflowActivities } from '../src/platform/temporal/activity-types.ts';

/** The activity that starts workflows again that were terminated or lost. */
export function createLostWorkflowActivities(context: LostWorkflowContext): LostWorkflowActivities {
  return { restartLostWorkflows: async () => ({ restarted: await restartLostWorkflows(context) }) };
}
