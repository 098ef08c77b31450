import type { RecordRules } from '../../anchoring/anchors.ts';
import { maxWaitMsBefore } from '../../domain/anchor/pace.ts';
import { changeDeadlines } from '../../domain/vault/change-deadlines.ts';
import type { ApiContext } from '../../server/context.ts';
import { run } from '../../store/statements.ts';
import { windowsRead } from '../../store/windows.ts';
import { vaultLocks } from './change-response.ts';

/** The rules for changing a vault. It must not come too late only because it waits for its batch. */
export async function vaultRules(
  { db, readingTime }: Pick<ApiContext, 'db' | 'readingTime'>,
  vaultId: string,
): Promise<RecordRules> {
  const [windows, now] = await Promise.all([run(db, windowsRead(db, vaultId)), readingTime()]);
  return { locks: vaultLocks(vaultId), maxWaitMs: maxWaitMsBefore(windows ? changeDeadlines(windows) : [], now) };
}
