import type { WriteLocks, WriteRules } from '../../anchoring/anchors.ts';
import { maxWaitMsBefore } from '../../anchoring/rules/pace.ts';
import { proposalDeadlines } from '../rules/phase-view.ts';
import type { ApiContext } from '../../api-context.ts';
import { findProposal } from '../queries/proposals.ts';

/** The rules for ending or endorsing a proposal. It must not come too late only because it waits for its batch. */
export async function proposalRules(
  { db, readingTime }: Pick<ApiContext, 'db' | 'readingTime'>,
  proposalId: string,
): Promise<WriteRules> {
  const [proposal, now] = await Promise.all([findProposal(db, proposalId), readingTime()]);
  return {
    locks: proposalLocks(proposalId),
    maxWaitMs: maxWaitMsBefore(proposal ? proposalDeadlines(proposal) : [], now),
  };
}

/** No one else can vote on it, endorse it or close it at the same time. */
function proposalLocks(proposalId: string): WriteLocks {
  return { fence: `proposal:${proposalId}`, side: 'closed', stakesOf: null };
}
