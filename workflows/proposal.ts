import type { ProposalStage } from '../src/platform/temporal/activity-types.ts';
import type { ProposalInput } from '../src/platform/temporal/messages.ts';
import { proposals, tallies } from './activity-proxies.ts';
import { trackProgress, type Progress } from './progress.ts';

type Outcome = Extract<ProposalStage, { stage: 'ended' }>['outcome'];

const LOCKED = 'Passed. In the lock phase, it can still be cancelled. Waiting for the end of that phase.';

/** The clock and state machine of a proposal. Its state is in Postgres; votes do not pass through here. */
export async function proposal(input: ProposalInput): Promise<Outcome> {
  const { proposalId } = input;
  const progress = trackProgress(input, ['endorsed', 'cancelRequested', 'transactionChanged']);
  const activityInput = () => ({ proposalId, now: progress.now() });
  const stageAfter = stageAfterOf(proposalId);

  let current = await proposals.readStage({ proposalId });
  if (current.stage === 'draft') {
    const { draftExpiresAt } = current;
    progress.setPhase(
      'draft',
      'Collecting endorsements. Waiting until they reach the start threshold.',
      draftExpiresAt,
    );
    const opened = await progress.waitUntil('the draft expires', draftExpiresAt, stageAfter('draft'));
    current = opened === 'due' ? await proposals.expireDraft(activityInput()) : opened;
  }
  if (current.stage === 'voting') {
    const { votingEndsAt } = current;
    progress.setPhase('voting', 'Voting is open. Waiting for the end of the vote.', votingEndsAt);
    // The end of its vault ends a vote early.
    const ended = await progress.waitUntil('voting ends', votingEndsAt, stageAfter('voting'));
    current = ended === 'due' ? await proposals.closeVoting(activityInput()) : ended;
  }
  // Nothing waits for the anchor here: the outcome of the vote is already decided.
  const anchored = tallies.anchorTally({ proposalId });
  if (current.stage === 'passed') {
    const { lockEndsAt } = current;
    progress.setPhase('lock', LOCKED, lockEndsAt);
    const cancelled = await progress.waitUntil('the lock phase ends', lockEndsAt, stageAfter('passed'));
    if (cancelled !== 'due') current = cancelled;
  }
  current = await waitForExecution(progress, proposalId, current);
  if (current.stage !== 'ended') throw new Error(`a proposal cannot continue from stage ${current.stage}`);

  progress.setPhase('ended', `Ended: ${current.outcome}. Releasing the stakes.`);
  await proposals.releaseStakes(activityInput());
  progress.setDetails(
    `Ended: ${current.outcome}. The stakes are released. Waiting until the result of the vote is anchored.`,
  );
  await anchored;
  progress.setDetails(`Ended: ${current.outcome}. The stakes are released.`);
  return current.outcome;
}

/**
 * Waits until the proposal has ended. A rollback can remove an execution from the ledger, which is then waited for again; one
 * that fails leaves the proposal as it was while the execution phase lasts (design D50).
 */
async function waitForExecution(progress: Progress, proposalId: string, from: ProposalStage): Promise<ProposalStage> {
  const stageAfter = stageAfterOf(proposalId);
  let current = from;
  for (;;) {
    if (current.stage === 'passed') {
      const { executionEndsAt } = current;
      progress.setPhase('execution', 'Passed and ready to be executed. Waiting for an execution.', executionEndsAt);
      const executed = await progress.waitUntil('the execution phase ends', executionEndsAt, stageAfter('passed'));
      current = executed === 'due' ? await proposals.endExecution({ proposalId, now: progress.now() }) : executed;
      if (current.stage !== 'passed') continue;
      progress.setPhase(
        'landing',
        'The execution phase is over. Waiting until the submitted transaction is in a block or has expired.',
      );
      current = await progress.waitFor(stageAfterBlock(proposalId));
    } else if (current.stage === 'executed') {
      progress.setPhase('executed', 'Executed. Waiting until the transaction is final before the stakes are released.');
      current = await progress.waitFor(stageAfter('executed'));
    } else return current;
  }
}

/** Reads the stage of the proposal; null while an execution that was sent can still be confirmed. */
function stageAfterBlock(proposalId: string) {
  return async () => {
    const current = await proposals.readStage({ proposalId });
    return current.stage === 'passed' && current.isSent ? null : current;
  };
}

/** Reads the stage of the proposal; null while it is still in the given one. */
function stageAfterOf(proposalId: string) {
  return (stage: ProposalStage['stage']) => async () => {
    const current = await proposals.readStage({ proposalId });
    return current.stage === stage ? null : current;
  };
}
