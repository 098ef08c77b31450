import type { ServiceContext } from '../context.ts';
import { publishAll, publish } from '../events/publish.ts';
import type { NewEvent } from '../events/queries/events.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import { isStakeRollbackInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import type { Transaction, Db } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import type { ProposalStage } from '../platform/temporal/activity-types.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { isoText, type Instant } from '../platform/units/time.ts';
import { voidFrozenExecution } from './cancel-proposal.ts';
import { cosignersOfPassed } from './proposal-settings.ts';
import { endorsingPower } from './queries/participation.ts';
import { isExecutionFinal } from './queries/proposal-executions.ts';
import {
  getProposal,
  openVoting,
  passProposal,
  setFinalTally,
  type Proposal,
  failProposal,
  takeBackRelease,
  lockProposal,
  setStakesReleased,
} from './queries/proposals.ts';
import { untalliedBefore } from './queries/viewed-proposals.ts';
import { endAfterClaims } from './rules/allowed-actions.ts';
import { type PhaseDurations, planPhases } from './rules/phases.ts';
import { startReached, type FailureReason, type ProposalStatus } from './rules/proposal.ts';
import { governingSupplyOf } from '../staking/queries/vault-stakes.ts';
import { getTermination } from '../termination/queries/terminations.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { lockStakesUsedInProposal, updateStakeUses } from '../votes/queries/voting-powers.ts';
import { voteSummary } from '../votes/read-votes.ts';
import type { WorkerContext, ProposalTransition } from '../worker-context.ts';

/** Opens the vote of a draft whose endorsers have enough power; returns whether it did (design D22). */
export async function openWhenEndorsed(
  context: TransactionContext,
  vault: Vault,
  proposalId: string,
): Promise<boolean> {
  const { tx, now } = context;
  const proposal = await getProposal(tx, proposalId);
  const power = await endorsingPower(tx, proposal, now);
  const { start: threshold } = proposal.thresholds;
  if (!startReached({ power, supply: await governingSupplyOf(tx, vault), threshold })) return false;
  await requireEndBeforeClaims(context, vault, proposal.durations);
  await openVoting(tx, proposal, planPhases(now, proposal.durations), power);
  return true;
}

/**
 * Throws CLAIMS_END_BEFORE_EXECUTION for a proposal that could be executed when the claims on its vault are over: what it then brings
 * would be nobody's.
 */
export async function requireEndBeforeClaims(
  { tx, now }: TransactionContext,
  { id, claimsOpen }: Vault,
  durations: PhaseDurations,
): Promise<void> {
  if (!claimsOpen) return;
  const { claimDeadline } = await getTermination(tx, id);
  const executionEndsAt = endAfterClaims(durations, claimDeadline, now);
  if (executionEndsAt === null || claimDeadline === null) return;
  const details = { claimDeadline: isoText(claimDeadline), executionEndsAt: isoText(executionEndsAt) };
  throw new ServiceError('CLAIMS_END_BEFORE_EXECUTION', details);
}

/** Counts the votes of a proposal once no other vote can come in, and passes or fails it. */
export function closeVoting(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  input: ProposalActivityInput,
): Promise<ProposalStage> {
  return takeStep(context, votingClose, input);
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

/** Fails a proposal that was not executed in time. One whose execution was sent stays until that is confirmed or no longer can. */
export function endExecution(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  input: ProposalActivityInput,
): Promise<ProposalStage> {
  return takeStep(context, executionEnd, input);
}

const reason = 'execution_window_elapsed';

const executionEnd: ProposalStep = {
  transition: 'execution_end',
  dueAt: ({ phases }) => phases?.execution.endsAt,
  isReady: ({ status, executionSent }) => status === 'PASSED' && !executionSent,
  async take(context, proposal) {
    await voidFrozenExecution(context, proposal, { cause: reason, note: 'the execution phase is over' });
    await endAsFailed(context, proposal, reason);
  },
};

/** Fails a draft that was not endorsed in time. */
export function expireDraft(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  input: ProposalActivityInput,
): Promise<ProposalStage> {
  return takeStep(context, draftExpiry, input);
}

const draftExpiry: ProposalStep = {
  transition: 'draft_expiry',
  dueAt: ({ draftExpiresAt }) => draftExpiresAt,
  isReady: ({ status }) => status === 'DRAFT',
  take: (context, proposal) => endAsFailed(context, proposal, 'draft_expired'),
};

/** The stage of a proposal's life that its workflow is in. */
export async function readStage(db: Db, proposalId: string): Promise<ProposalStage> {
  return stageOf(db, await getProposal(db, proposalId));
}

/** As `readStage`, of a proposal that was read before. */
async function stageOf(db: Db | Transaction, proposal: Proposal): Promise<ProposalStage> {
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

/** A proposal and the workflow's time. */
interface ProposalActivityInput {
  readonly proposalId: string;
  readonly now: Instant;
}

/** What a timer changes in a proposal. */
interface ProposalStep {
  readonly transition: ProposalTransition;
  readonly dueAt: (proposal: Proposal) => Instant | undefined;
  /** The proposals that have to take the step before this one, in order. */
  readonly predecessors?: (tx: Transaction, proposal: Proposal) => Promise<readonly Proposal[]>;
  readonly isReady: (proposal: Proposal) => boolean;
  readonly take: (context: TransactionContext, proposal: Proposal) => Promise<void>;
}

/** Takes a step of a proposal if it is ready for it, while nobody can vote on, endorse or cancel it. Returns its stage afterwards. */
async function takeStep(
  { unitOfWork, onTransition }: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  step: ProposalStep,
  { proposalId, now }: ProposalActivityInput,
): Promise<ProposalStage> {
  const { changed, stage } = await unitOfWork(async (context) => {
    const { tx } = context;
    const predecessors = (await step.predecessors?.(tx, await getProposal(tx, proposalId))) ?? [];
    const inOrder = [...predecessors.map(({ id }) => id), proposalId];
    for (const id of inOrder.toSorted()) await lockExclusive(tx, `proposal:${id}`);
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

/**
 * Wakes the workflow of a proposal that can be executed again. One whose execution was final had ended and released the stakes: they are
 * locked again, except those that are on their way back, and the workflow starts again to end the execution phase.
 */
export async function resumeProposal(
  context: TransactionContext,
  { id: proposalId, vaultId }: Pick<Proposal, 'id' | 'vaultId'>,
): Promise<void> {
  if (await takeBackRelease(context, proposalId)) {
    const used = await lockStakesUsedInProposal(context.tx, proposalId);
    await updateStakeUses(
      context,
      used.map(({ id }) => id),
    );
  }
  const start = { kind: 'start', workflow: 'proposal', proposalId, vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, proposalWorkflowId(proposalId), start);
}

/**
 * Releases the stakes that voted in a proposal that has ended, and publishes those that no other vote locks. A rollback may have made it
 * PASSED again since its end was read: then it keeps them.
 */
export async function releaseStakes(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { proposalId, now }: ProposalActivityInput,
): Promise<void> {
  await unitOfWork(async (work) => {
    const { status } = await lockProposal(work.tx, proposalId);
    if (status === 'FAILED' || status === 'EXECUTED') await releaseStakesOf({ ...work, now }, proposalId);
  });
}

/** As `releaseStakes`, in the transaction that ends the proposal. */
export async function releaseStakesOf(context: TransactionContext, proposalId: string): Promise<void> {
  const { tx } = context;
  const used = await lockStakesUsedInProposal(tx, proposalId);
  await setStakesReleased(context, proposalId);
  const updated = await updateStakeUses(
    context,
    used.map(({ id }) => id),
  );
  const locked = new Set(used.filter(({ status }) => status === 'LOCKED').map(({ id }) => id));
  const unlocked = updated.filter(({ id, status }) => status === 'ACTIVE' && locked.has(id));
  await publishAll(
    context,
    unlocked.map((stake) => ({ event: unlockedEvent(stake, proposalId) })),
  );
}

function unlockedEvent(
  { id: stakeId, vaultId, wallet: actor, amount: amountBaseUnits }: Awaited<ReturnType<typeof updateStakeUses>>[number],
  proposalId: string,
): NewEvent {
  const source = { vaultId, actor, transactionHash: null, correlationId: proposalWorkflowId(proposalId) };
  return { type: 'STAKE_UNLOCKED', ...source, data: { stakeId, amountBaseUnits } };
}

interface StatusChange {
  readonly status: ProposalStatus;
  readonly reason: string | null;
}

/** Publishes the new status of a proposal, which its workflow has changed, or a transaction that is on the ledger or has ended. */
export async function publishProposalStatus(
  context: TransactionContext,
  { id: proposalId, vaultId, proposer }: Pick<Proposal, 'id' | 'vaultId' | 'proposer'>,
  change: StatusChange,
  transactionHash: string | null = null,
): Promise<void> {
  const correlationId = proposalWorkflowId(proposalId);
  const source = { vaultId, actor: 'platform', wallets: [proposer], transactionHash, correlationId };
  await publish(context, { event: { type: 'PROPOSAL_STATUS_CHANGED', ...source, data: { proposalId, ...change } } });
}
