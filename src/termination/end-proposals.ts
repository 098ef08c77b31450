import type { Instant } from '../platform/units/instant.ts';
import { closeFence } from '../platform/database/fences.ts';
import { setFinalTally } from '../proposals/queries/proposal-changes.ts';
import { decodeRows } from '../platform/database/decode-rows.ts';
import { headOfProposal, type ProposalRow, proposalRows, readProposal } from '../proposals/queries/proposals.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { liveProposalIds } from '../proposals/queries/vault-proposals.ts';
import { isAnySent } from '../transactions/queries/vault-transactions.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { endAsFailed } from '../proposals/proposal-step.ts';
import { releaseStakesOf } from '../proposals/release-stakes.ts';
import { voidFrozenExecution } from '../proposals/void-frozen-execution.ts';
import { countVotes } from '../votes/vote-summaries.ts';

type Context = Pick<ServiceContext, 'db' | 'unitOfWork' | 'onUnreadable'>;

/**
 * Ends the live proposals of a vault that ends. Returns whether none is left, and no execution can change what the vault holds: one
 * that was sent lands first, or can no longer land.
 */
export async function endProposals(
  { db, unitOfWork, onUnreadable }: Context,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<boolean> {
  for (const proposalId of await liveProposalIds(db, vaultId))
    await unitOfWork((work) => endProposal({ ...work, now, onUnreadable }, proposalId));
  return (await liveProposalIds(db, vaultId)).length === 0 && !(await isAnySent(db, vaultId, ['execute']));
}

const cause = 'vault_ending';

type EndContext = TransactionContext & Pick<ServiceContext, 'onUnreadable'>;

/** One that cannot be read ends, too: the vault would not. Its end needs no more than its status, and whether its execution was sent. */
async function endProposal(context: EndContext, proposalId: string): Promise<void> {
  const { tx } = context;
  await closeFence(tx, `proposal:${proposalId}`);
  const [row] = await proposalRows(tx, [proposalId]);
  if (!row) return;
  const proposal = headOfProposal(row);
  if (proposal.executionSent || proposal.status === 'FAILED' || proposal.status === 'EXECUTED') return;
  if (proposal.status === 'ACTIVE') await setTallyAtEnd(context, row);
  await voidFrozenExecution(context, proposal, { cause, note: 'the vault ends' });
  await endAsFailed(context, proposal, cause);
  await releaseStakesOf(context, proposalId);
  const signal = { kind: 'signal', signal: 'cancelRequested' } as const;
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), signal);
}

/** The votes on a proposal that cannot be read stay uncounted: they decide nothing any more. */
async function setTallyAtEnd({ tx, onUnreadable }: EndContext, row: ProposalRow): Promise<void> {
  for (const proposal of decodeRows([row], readProposal, onUnreadable)) {
    const { tally, quorumBase, circulating } = await countVotes(tx, proposal);
    await setFinalTally(tx, proposal.id, { ...tally, quorumBase, circulating });
  }
}
