import { upkeep } from './activities.ts';

/** Sends again what a crash has lost between a commit and Temporal. Run by a Schedule. */
export function sweep(): Promise<{ sent: number }> {
  return upkeep.sweep();
}
