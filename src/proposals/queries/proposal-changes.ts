import { type FailureReason, proposalTransition } from '../rules/proposal.ts';
import type { BaseUnits } from '../../platform/units/money.ts';
import type { ProposalPhases } from '../rules/phases.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { type FinalTally, storedTally } from './stored-proposal.ts';
import type { Closing, Proposal } from './proposals.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** Records that the workflow of an ended proposal has released its stakes. */
export async function setStakesReleased({ tx, now }: TransactionContext, proposalId: string): Promise<void> {
  const values = { released_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposalId).execute();
}

/** Takes back that the stakes of a proposal were released; returns false when they were not. */
export async function takeBackRelease({ tx }: TransactionContext, proposalId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('proposals')
    .set({ released_at: null })
    .where('id', '=', proposalId)
    .where('released_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Opens voting on a draft and fixes its phases. */
export async function openVoting(
  tx: Transaction,
  proposal: Proposal,
  { voting, lock, execution }: ProposalPhases,
  openedWith: BaseUnits,
): Promise<void> {
  await tx
    .updateTable('proposals')
    .set({
      status: proposalTransition(proposal.status, 'ACTIVE'),
      opened_with: openedWith,
      voting_starts_at: new Date(voting.startsAt),
      voting_ends_at: new Date(voting.endsAt),
      lock_ends_at: new Date(lock.endsAt),
      execution_ends_at: new Date(execution.endsAt),
      updated_at: new Date(voting.startsAt),
    })
    .where('id', '=', proposal.id)
    .execute();
}

/** Stores the tally of the closed vote. */
export async function setFinalTally(tx: Transaction, proposalId: string, tally: FinalTally): Promise<void> {
  await tx
    .updateTable('proposals')
    .set({ final_tally: storedTally(tally) })
    .where('id', '=', proposalId)
    .execute();
}

/** Stores what is anchored of a closed vote; returns false when it was stored before. */
export async function setClosing(
  tx: Transaction,
  proposalId: string,
  { factId, votesRoot }: Closing,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('proposals')
    .set({ closing_fact_id: factId, votes_root: votesRoot })
    .where('id', '=', proposalId)
    .where('closing_fact_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Moves a proposal to PASSED, with the number of cosigners that its execution needs. */
export async function passProposal(
  { tx, now }: TransactionContext,
  proposal: Proposal,
  requiredCosigners: number,
): Promise<void> {
  const status = proposalTransition(proposal.status, 'PASSED');
  const values = { status, required_cosigners: requiredCosigners, updated_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

export async function failProposal(
  { tx, now }: TransactionContext,
  proposal: Pick<Proposal, 'id' | 'status'>,
  reason: FailureReason,
): Promise<void> {
  const at = new Date(now);
  const status = proposalTransition(proposal.status, 'FAILED');
  const values = { status, failure_reason: reason, ended_at: at, updated_at: at };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}

/** Records whether an execution can still reach the ledger: the execution phase waits for it. */
export async function setExecutionSent(
  { tx, now }: TransactionContext,
  proposalId: string,
  sent: boolean,
): Promise<void> {
  const values = { execution_sent: sent, updated_at: new Date(now) };
  await tx.updateTable('proposals').set(values).where('id', '=', proposalId).execute();
}

/** Moves a proposal to EXECUTED, or back to PASSED when its execution was rolled back; throws INVALID_TRANSITION. */
export async function setExecuted(
  { tx, now }: TransactionContext,
  proposal: Proposal,
  to: 'EXECUTED' | 'PASSED',
): Promise<void> {
  const at = new Date(now);
  const status = proposalTransition(proposal.status, to, to === 'EXECUTED' ? 'forward' : 'rollback');
  const values = { status, ended_at: to === 'EXECUTED' ? at : null, updated_at: at };
  await tx.updateTable('proposals').set(values).where('id', '=', proposal.id).execute();
}
