import { upkeep } from './activity-proxies.ts';

/** Sends the messages that a crash lost between a commit and Temporal, and does other upkeep. Run by a Schedule. */
export function sweep(): Promise<{ sent: number }> {
  return upkeep.sweep();
}
