import type { Instant } from '../platform/units/instant.ts';
import type { FailureReason } from './rules/proposal.ts';
import { closeFence } from '../platform/database/fences.ts';
import { failProposal } from './queries/proposal-changes.ts';
import { getProposal, type Proposal } from './queries/proposals.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { ProposalStage } from '../platform/temporal/activity-types.ts';
import type { ProposalTransition, WorkerContext } from '../worker-context.ts';
import { stageOf } from './proposal-stage.ts';
import { publishProposalStatus } from './publish-proposal-status.ts';

/** A proposal and the workflow's time. */
export interface ProposalMoment {
  readonly proposalId: string;
  readonly now: Instant;
}

/** What a timer changes in a proposal. */
export interface ProposalStep {
  readonly transition: ProposalTransition;
  readonly dueAt: (proposal: Proposal) => Instant | undefined;
  /** The proposals that have to take the step before this one, in order. */
  readonly predecessors?: (tx: Transaction, proposal: Proposal) => Promise<readonly Proposal[]>;
  readonly isReady: (proposal: Proposal) => boolean;
  readonly take: (context: TransactionContext, proposal: Proposal) => Promise<void>;
}

/** Takes a step of a proposal if it is ready for it, while nobody can vote on, endorse or cancel it. Returns its stage afterwards. */
export async function takeStep(
  { unitOfWork, onTransition }: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  step: ProposalStep,
  { proposalId, now }: ProposalMoment,
): Promise<ProposalStage> {
  const { changed, stage } = await unitOfWork(async (context) => {
    const { tx } = context;
    const predecessors = (await step.predecessors?.(tx, await getProposal(tx, proposalId))) ?? [];
    const inOrder = [...predecessors.map(({ id }) => id), proposalId];
    for (const id of inOrder.toSorted()) await closeFence(tx, `proposal:${id}`);
    const changed: Proposal[] = [];
    for (const id of inOrder) {
      const proposal = await getProposal(tx, id);
      if (!step.isReady(proposal)) continue;
      // Anybody who reaches Temporal can ask for it.
      if (now < (step.dueAt(proposal) ?? now)) throw new Error(`proposal ${id} is not due for ${step.transition}`);
      await step.take({ ...context, now }, proposal);
      changed.push(proposal);
    }
    return { changed, stage: await stageOf(tx, await getProposal(tx, proposalId)) };
  });
  for (const dueAt of changed.map(step.dueAt)) if (dueAt !== undefined) onTransition(step.transition, dueAt);
  return stage;
}

/** Ends a proposal that cannot be executed any more. */
export async function endAsFailed(
  context: TransactionContext,
  proposal: Pick<Proposal, 'id' | 'vaultId' | 'proposer' | 'status'>,
  reason: FailureReason,
): Promise<void> {
  await failProposal(context, proposal, reason);
  await publishProposalStatus(context, proposal, { status: 'FAILED', reason });
}
