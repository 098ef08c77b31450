import type { Db, Transaction } from '../platform/database/database.ts';
import { isExecutionFinal } from './queries/proposal-executions.ts';
import { getProposal, type Proposal } from './queries/proposals.ts';
import type { ProposalStage } from '../platform/temporal/activity-types.ts';

/** The stage of a proposal's life that its workflow is in. */
export async function readStage(db: Db, proposalId: string): Promise<ProposalStage> {
  return stageOf(db, await getProposal(db, proposalId));
}

/** As `readStage`, of a proposal that was read before. */
export async function stageOf(db: Db | Transaction, proposal: Proposal): Promise<ProposalStage> {
  const { status, phases, failureReason, draftExpiresAt, executionSent } = proposal;
  if (status === 'DRAFT') return { stage: 'draft', draftExpiresAt };
  if (status === 'FAILED' && failureReason !== null) return { stage: 'ended', outcome: failureReason };
  if (status === 'EXECUTED') {
    return (await isExecutionFinal(db, proposal.id)) ? { stage: 'ended', outcome: 'executed' } : { stage: 'executed' };
  }
  if (phases === null) throw new Error(`proposal ${proposal.id} is ${status} without phases`);
  if (status === 'ACTIVE') return { stage: 'voting', votingEndsAt: phases.voting.endsAt };
  const { lock, execution } = phases;
  return { stage: 'passed', lockEndsAt: lock.endsAt, executionEndsAt: execution.endsAt, isSent: executionSent };
}
