import { getProposal } from '../proposals/queries/proposals.ts';
import { setClosing } from '../proposals/queries/proposal-changes.ts';
import { liveLeaves } from '../proposals/queries/proposal-votes.ts';
import type { WorkerContext } from '../worker-context.ts';
import { largeMerkleTree, tallyAnchorPayload } from '../anchoring/facts.ts';

/**
 * Anchors the tally of a closed vote with the root of its votes; nothing for a proposal that was never voted on. Safe to
 * repeat: the votes of a closed proposal never change, and only the first tally is anchored.
 */
export async function anchorTally(
  { db, ids, anchors }: Pick<WorkerContext, 'db' | 'ids' | 'anchors'>,
  proposalId: string,
): Promise<void> {
  const proposal = await getProposal(db, proposalId);
  const { vaultId, finalTally } = proposal;
  if (finalTally === null || proposal.closing !== null) return;
  const leaves = await liveLeaves(db, proposalId);
  const votesRoot = leaves.length === 0 ? null : (await largeMerkleTree(leaves)).root;
  const closing = { factId: ids.next(), votesRoot };
  const fact = tallyAnchorPayload(proposal, finalTally, { votesRoot, votes: leaves.length });
  await anchors.record(async (context) => {
    const isFirst = await setClosing(context.tx, proposalId, closing);
    if (isFirst) await context.anchor({ factId: closing.factId, vaultId, fact });
  });
}
