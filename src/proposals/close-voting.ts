import { ServiceError } from '../platform/errors/errors.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { passProposal, setFinalTally } from './queries/proposal-changes.ts';
import { isStakeRollbackInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import type { Proposal } from './queries/proposals.ts';
import { untalliedBefore } from './queries/vault-proposals.ts';
import type { ProposalStage } from '../platform/temporal/activity-types.ts';
import { voteSummary } from '../votes/vote-summaries.ts';
import type { WorkerContext } from '../worker-context.ts';
import { cosignersOfPassed } from './proposal-settings.ts';
import { endAsFailed, type ProposalMoment, type ProposalStep, takeStep } from './proposal-step.ts';
import { publishProposalStatus } from './publish-proposal-status.ts';

/** Counts the votes of a proposal once no other vote can come in, and passes or fails it. */
export function closeVoting(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  moment: ProposalMoment,
): Promise<ProposalStage> {
  return takeStep(context, votingClose, moment);
}

const votingClose: ProposalStep = {
  transition: 'voting_close',
  dueAt: ({ phases }) => phases?.voting.endsAt,
  // Of several proposals over one asset the vote that ended first decides, not the worker that comes first.
  predecessors: untalliedBefore,
  isReady: ({ status }) => status === 'ACTIVE',
  take: countVotes,
};

async function countVotes(context: TransactionContext, proposal: Proposal): Promise<void> {
  const { tx } = context;
  await requireStakesKnown(tx, proposal);
  const summary = await voteSummary(tx, proposal);
  const { tally, quorumBase, circulating } = summary;
  await setFinalTally(tx, proposal.id, { ...tally, quorumBase, circulating });
  if (summary.outcome !== 'passed') return endAsFailed(context, proposal, summary.outcome);
  await passProposal(context, proposal, await cosignersOfPassed(tx, proposal));
  await publishProposalStatus(context, proposal, { status: 'PASSED', reason: null });
}

/**
 * Throws LEDGER_UNAVAILABLE while blocks from before voting started are still to be read, and SERVICE_NOT_READY while the rollback of a
 * stake is in quarantine: they decide which stakes count.
 */
async function requireStakesKnown(tx: Transaction, { vaultId, phases }: Proposal): Promise<void> {
  if (await isStakeRollbackInQuarantine(tx, vaultId))
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'a rollback in quarantine' });
  const tip = await followedTip(tx);
  if (tip !== null && phases !== null && tip.time < phases.voting.startsAt)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: 'the blocks from before voting started are not read yet' });
}
