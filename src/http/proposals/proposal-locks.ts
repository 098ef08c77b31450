import type { WriteLocks } from '../../store/write-locks.ts';

/** The locks for ending or endorsing a proposal: no one else can vote on it, endorse it or close it at the same time. */
export function proposalLocks(proposalId: string): WriteLocks {
  return { fence: `proposal:${proposalId}`, side: 'closed', stakesOf: null };
}
