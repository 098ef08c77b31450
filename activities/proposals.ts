import type { Instant } from '../src/domain/units/instant.ts';
import type { FailureReason } from '../src/domain/proposal/proposal.ts';
import { withdraw } from '../src/store/chain-transactions.ts';
import type { Db, Transaction } from '../src/store/database.ts';
import type { TransactionContext } from '../src/store/transaction-context.ts';
import { recordEvent } from '../src/store/events.ts';
import { changeExecution, isExecutionFinal, lockLiveExecution } from '../src/store/executions.ts';
import { closeFence } from '../src/store/fences.ts';
import {
  failProposal,
  getProposal,
  passProposal,
  type Proposal,
  setFinalTally,
  setReleased,
  uncountedBefore,
} from '../src/store/proposals.ts';
import { voteSummary } from '../src/services/votes/ballots.ts';
import { lockStakesUsedIn, updateStakeUses } from '../src/store/stake-uses.ts';
import type { ProposalActivities, ProposalStage } from '../src/temporal/activities.ts';
import { proposalWorkflowId, transactionWorkflowId } from '../src/temporal/workflow-ids.ts';
import type { ProposalTransition, WorkerDeps } from './deps.ts';

/** The steps of a proposal's life that its workflow takes. */
export function createProposalActivities({
  db,
  unitOfWork,
  ids,
  onTransition,
}: Pick<WorkerDeps, 'db' | 'unitOfWork' | 'ids' | 'onTransition'>): ProposalActivities {
  /** Takes a step, for which the proposals may be ready or not, while nobody votes on, endorses or cancels them. */
  async function step({ proposalId, now }: Moment, { transition, dueAt, first, isReady, act }: Step) {
    const { taken, stage } = await unitOfWork(async ({ tx }) => {
      const earlier = await first(tx, await getProposal(tx, proposalId));
      const inTurn = [...earlier.map(({ id }) => id), proposalId];
      for (const id of inTurn.toSorted()) await closeFence(tx, `proposal:${id}`);
      const taken: Proposal[] = [];
      for (const id of inTurn) {
        const proposal = await getProposal(tx, id);
        if (!isReady(proposal)) continue;
        await act({ tx, ids, now }, proposal);
        taken.push(proposal);
      }
      return { taken, stage: await stageOf(tx, await getProposal(tx, proposalId)) };
    });
    for (const due of taken.map(dueAt)) if (due !== undefined) onTransition(transition, due);
    return stage;
  }

  return {
    readStage: async ({ proposalId }) => stageOf(db, await getProposal(db, proposalId)),

    expireDraft: (moment) => step(moment, draftExpiry),
    closeVoting: (moment) => step(moment, votingClose),
    endExecution: (moment) => step(moment, executionEnd),

    releaseStakes({ proposalId, now }) {
      return unitOfWork(async ({ tx }) => {
        const stakeIds = await lockStakesUsedIn(tx, proposalId);
        await setReleased(tx, proposalId, now);
        await updateStakeUses(tx, stakeIds, now);
      });
    },
  };
}

interface Moment {
  readonly proposalId: string;
  readonly now: Instant;
}

/** A step of a proposal's life that a timer brings about. */
interface Step {
  readonly transition: ProposalTransition;
  readonly dueAt: (proposal: Proposal) => Instant | undefined;
  /** Those that take the step before it, in this order. */
  readonly first: (tx: Transaction, proposal: Proposal) => Promise<readonly Proposal[]>;
  readonly isReady: (proposal: Proposal) => boolean;
  readonly act: (scene: TransactionContext, proposal: Proposal) => Promise<void>;
}

const nobody = () => Promise.resolve([]);

const draftExpiry: Step = {
  transition: 'draft_expiry',
  dueAt: ({ draftExpiresAt }) => draftExpiresAt,
  first: nobody,
  isReady: ({ status }) => status === 'DRAFT',
  act: (scene, proposal) => fail(scene, proposal, 'draft_expired'),
};

const votingClose: Step = {
  transition: 'voting_close',
  dueAt: ({ phases }) => phases?.voting.endsAt,
  // Of several over one asset that were left waiting the vote that ended first decides, not the worker that comes first.
  first: uncountedBefore,
  isReady: ({ status }) => status === 'ACTIVE',
  act: close,
};

const executionEnd: Step = {
  transition: 'execution_end',
  dueAt: ({ phases }) => phases?.execution.endsAt,
  first: nobody,
  isReady: ({ status, executionSent }) => status === 'PASSED' && !executionSent,
  async act(scene, proposal) {
    await dropFrozen(scene, proposal);
    await fail(scene, proposal, 'execution_window_elapsed');
  },
};

async function close(scene: TransactionContext, proposal: Proposal): Promise<void> {
  const { tx, now } = scene;
  const ballot = await voteSummary(tx, proposal);
  await setFinalTally(tx, proposal.id, { ...ballot.tally, quorumBase: ballot.quorumBase });
  if (ballot.standing !== 'passed') return fail(scene, proposal, ballot.standing);
  await passProposal(tx, proposal, now);
  await tell(scene, proposal, { status: 'PASSED', reason: null });
}

/** What nobody had sent gives back what it holds. */
async function dropFrozen(scene: TransactionContext, { id: proposalId, vaultId }: Proposal): Promise<void> {
  const { tx, ids, now } = scene;
  const frozen = await lockLiveExecution(tx, proposalId);
  if (frozen?.status !== 'FROZEN') return;
  const { transactionId } = frozen;
  const cause = 'execution_window_elapsed';
  await changeExecution(tx, frozen, { status: 'VOIDED', reason: cause });
  const given = { id: transactionId, ownerWorkflow: transactionWorkflowId(transactionId) };
  await withdraw(scene, given, 'the execution phase is over');
  const told = { vaultId, actor: 'platform', transactionHash: null, correlationId: proposalWorkflowId(proposalId) };
  const data = { proposalId, executionId: frozen.id, cause };
  await recordEvent(tx, ids, { type: 'EXECUTION_VOIDED', ...told, data }, now);
}

async function fail(scene: TransactionContext, proposal: Proposal, reason: FailureReason): Promise<void> {
  await failProposal(scene.tx, proposal, reason, scene.now);
  await tell(scene, proposal, { status: 'FAILED', reason });
}

async function tell(
  { tx, ids, now }: TransactionContext,
  { id: proposalId, vaultId }: Proposal,
  change: { status: 'PASSED' | 'FAILED'; reason: FailureReason | null },
): Promise<void> {
  const told = { vaultId, actor: 'platform', transactionHash: null, correlationId: proposalWorkflowId(proposalId) };
  const data = { proposalId, ...change };
  await recordEvent(tx, ids, { type: 'PROPOSAL_STATUS_CHANGED', ...told, data }, now);
}

async function stageOf(db: Db | Transaction, proposal: Proposal): Promise<ProposalStage> {
  const { status, phases, failureReason, draftExpiresAt } = proposal;
  if (status === 'DRAFT') return { stage: 'draft', draftExpiresAt };
  if (status === 'FAILED' && failureReason !== null) return { stage: 'ended', outcome: failureReason };
  if (status === 'EXECUTED') {
    return (await isExecutionFinal(db, proposal.id)) ? { stage: 'ended', outcome: 'executed' } : { stage: 'executed' };
  }
  if (phases === null) throw new Error(`proposal ${proposal.id} is ${status} without phases`);
  if (status === 'ACTIVE') return { stage: 'voting', votingEndsAt: phases.voting.endsAt };
  return { stage: 'passed', lockEndsAt: phases.lock.endsAt, executionEndsAt: phases.execution.endsAt };
}
