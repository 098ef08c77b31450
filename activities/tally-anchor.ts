import type { JsonValue } from '../src/anchoring/anchors.ts';
import { votesMerkleRoot } from '../src/anchoring/votes-root.ts';
import { voteOutcome } from '../src/domain/vote/tally.ts';
import { getProposal, type Proposal, setClosing } from '../src/store/proposals.ts';
import type { FinalTally } from '../src/store/stored-proposal.ts';
import { liveLeaves } from '../src/store/votes.ts';
import type { TallyActivities } from '../src/temporal/activities.ts';
import type { WorkerDeps } from './deps.ts';

type Deps = Pick<WorkerDeps, 'db' | 'ids' | 'anchors'>;

/** Anchoring what closed votes came to. Safe to repeat: the votes of a closed proposal never change, and one fact is kept. */
export function createTallyActivities({ db, ids, anchors }: Deps): TallyActivities {
  return {
    async anchorTally({ proposalId }) {
      const proposal = await getProposal(db, proposalId);
      const { vaultId, finalTally } = proposal;
      if (finalTally === null || proposal.closing !== null) return;
      const leaves = await liveLeaves(db, proposalId);
      const closing = { factId: ids.next(), votesRoot: await votesMerkleRoot(leaves) };
      const fact = closingFact(proposal, finalTally, { votesRoot: closing.votesRoot, votes: leaves.length });
      await anchors.record(async (work) => {
        const isFirst = await setClosing(work.tx, proposalId, closing);
        if (isFirst) await work.anchor({ factId: closing.factId, vaultId, fact });
      });
    },
  };
}

/** Amounts are base units as text; kept for good, proofs are made over it. */
function closingFact(
  { id: proposalId, vaultId, failureReason, thresholds }: Proposal,
  tally: FinalTally,
  votes: { readonly votes: number; readonly votesRoot: string | null },
): JsonValue {
  const { approve, reject, uniqueVoters: voters, quorumBase } = tally;
  const conflict = 'asset_in_another_proposal';
  return {
    kind: 'proposal_closed',
    proposalId,
    vaultId,
    outcome: failureReason === conflict ? conflict : voteOutcome({ tally, quorumBase, thresholds }),
    tally: { approve: approve.toString(), reject: reject.toString(), voters },
    quorumBase: quorumBase.toString(),
    ...votes,
  };
}
