import type { WriteRules } from '../../anchoring/anchors.ts';
import { maxWaitMsBefore } from '../../anchoring/rules/pace.ts';
import { changeDeadlines } from '../rules/change-deadlines.ts';
import type { ApiContext } from '../../api-context.ts';
import { findWindows } from '../queries/windows.ts';
import { vaultLocks } from './change-response.ts';

/** The rules for changing a vault. It must not come too late only because it waits for its batch. */
export async function vaultRules(
  { db, readingTime }: Pick<ApiContext, 'db' | 'readingTime'>,
  vaultId: string,
): Promise<WriteRules> {
  const [windows, now] = await Promise.all([findWindows(db, vaultId), readingTime()]);
  return { locks: vaultLocks(vaultId), maxWaitMs: maxWaitMsBefore(windows ? changeDeadlines(windows) : [], now) };
}
