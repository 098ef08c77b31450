import { lookout } from './activities.ts';

/** Looks, vault after vault, for what was sent to their addresses without being asked for. Run by a Schedule. */
export async function unsolicitedLook(): Promise<void> {
  let after: string | null = null;
  do after = await lookout.lookForUnsolicited({ after });
  while (after !== null);
}
