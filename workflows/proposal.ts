import type { ProposalStage } from '../src/temporal/activities.ts';
import type { ProposalInput } from '../src/temporal/messages.ts';
import { proposals, tallies } from './activities.ts';
import { trackProgress, type Progress } from './progress.ts';

type Outcome = Extract<ProposalStage, { stage: 'ended' }>['outcome'];

/** The clock and state machine of a proposal. Its facts are in Postgres; votes do not pass through here. */
export async function proposal(input: ProposalInput): Promise<Outcome> {
  const { proposalId } = input;
  const story = trackProgress(input, ['endorsed', 'cancelRequested', 'transactionChanged']);
  const at = () => ({ proposalId, now: story.now() });
  const leaving = leavingOf(proposalId);

  let reached = await proposals.readStage({ proposalId });
  if (reached.stage === 'draft') {
    const { draftExpiresAt } = reached;
    story.setPhase('draft', 'Collecting endorsements.', draftExpiresAt);
    const opened = await story.waitUntil('the draft expires', draftExpiresAt, leaving('draft'));
    reached = opened === 'due' ? await proposals.expireDraft(at()) : opened;
  }
  if (reached.stage === 'voting') {
    const { votingEndsAt } = reached;
    story.setPhase('voting', 'Voting is open. Votes go to Postgres, not through this workflow.', votingEndsAt);
    await story.waitUntil('voting ends', votingEndsAt);
    reached = await proposals.closeVoting(at());
  }
  // Nothing waits for the ledger: what the vote came to stands already.
  const anchored = tallies.anchorTally({ proposalId });
  if (reached.stage === 'passed') {
    const { lockEndsAt } = reached;
    story.setPhase('lock', 'Passed. Nothing moves in the lock phase; it can still be cancelled.', lockEndsAt);
    const cancelled = await story.waitUntil('the lock phase ends', lockEndsAt, leaving('passed'));
    if (cancelled !== 'due') reached = cancelled;
  }
  reached = await executionEnds(story, proposalId, reached);
  if (reached.stage !== 'ended') throw new Error(`a proposal cannot go on from ${reached.stage}`);

  story.setPhase('ended', `Over: ${reached.outcome}. Releasing the stakes.`);
  await proposals.releaseStakes(at());
  await anchored;
  story.setDetails(`Over: ${reached.outcome}. The stakes are free.`);
  return reached.outcome;
}

/** Until the proposal is over for good; a rollback takes an execution off the ledger again, so it may be waited for twice. */
async function executionEnds(story: Progress, proposalId: string, from: ProposalStage): Promise<ProposalStage> {
  const leaving = leavingOf(proposalId);
  let reached = from;
  for (;;) {
    if (reached.stage === 'passed') {
      const { executionEndsAt } = reached;
      story.setPhase('execution', 'Passed and ready to be executed.', executionEndsAt);
      const executed = await story.waitUntil('the execution phase ends', executionEndsAt, leaving('passed'));
      reached = executed === 'due' ? await proposals.endExecution({ proposalId, now: story.now() }) : executed;
      if (reached.stage !== 'passed') continue;
      story.setPhase('landing', 'The phase is over. Waiting until what was sent lands, or can no longer land.');
      reached = await story.waitFor(leaving('passed'));
    } else if (reached.stage === 'executed') {
      story.setPhase('executed', 'Executed. Waiting until the transaction is final before the stakes are released.');
      reached = await story.waitFor(leaving('executed'));
    } else return reached;
  }
}

/** Facts to wait for: the proposal is in another stage. */
function leavingOf(proposalId: string) {
  return (stage: ProposalStage['stage']) => async () => {
    const now = await proposals.readStage({ proposalId });
    return now.stage === stage ? null : now;
  };
}
