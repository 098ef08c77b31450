import { lostWorkflowFinder } from './activity-proxies.ts';

/** Starts workflows again that were terminated or lost although something is left to do for them. Run by a Schedule. */
export function lostWorkflows(): Promise<{ restarted: number }> {
  return lostWorkflowFinder.restartLostWorkflows();
}
