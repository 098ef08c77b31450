import type { Instant } from '../../domain/units/instant.ts';
import { closeFence } from '../../store/fences.ts';
import { setFinalTally } from '../../store/proposal-changes.ts';
import { getProposal } from '../../store/proposals.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { liveProposalIds } from '../../store/vault-proposals.ts';
import { isAnySent } from '../../store/vault-transactions.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { proposalWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { endAsFailed } from '../proposals/proposal-step.ts';
import { releaseStakesOf } from '../proposals/release-stakes.ts';
import { voidFrozenExecution } from '../proposals/void-frozen-execution.ts';
import { voteSummary } from '../votes/vote-summaries.ts';

type Context = Pick<ServiceContext, 'db' | 'unitOfWork'>;

/**
 * Ends the live proposals of a vault that ends. Returns whether none is left, and no execution can change what the vault holds: one
 * that was sent lands first, or can no longer land.
 */
export async function endProposals(
  { db, unitOfWork }: Context,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<boolean> {
  for (const proposalId of await liveProposalIds(db, vaultId))
    await unitOfWork((work) => endProposal({ ...work, now }, proposalId));
  return (await liveProposalIds(db, vaultId)).length === 0 && !(await isAnySent(db, vaultId, ['execute']));
}

const cause = 'vault_ending';

async function endProposal(context: TransactionContext, proposalId: string): Promise<void> {
  const { tx } = context;
  await closeFence(tx, `proposal:${proposalId}`);
  const proposal = await getProposal(tx, proposalId);
  const { status, phases, executionSent } = proposal;
  if (status === 'FAILED' || status === 'EXECUTED' || executionSent) return;
  if (status === 'ACTIVE' && phases !== null) {
    const { tally, quorumBase, circulating } = await voteSummary(tx, proposal);
    await setFinalTally(tx, proposalId, { ...tally, quorumBase, circulating });
  }
  await voidFrozenExecution(context, proposal, { cause, note: 'the vault ends' });
  await endAsFailed(context, proposal, cause);
  await releaseStakesOf(context, proposalId);
  const signal = { kind: 'signal', signal: 'cancelRequested' } as const;
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), signal);
}
