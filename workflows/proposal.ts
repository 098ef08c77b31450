import type { ProposalStage } from '../src/temporal/activities.ts';
import type { ProposalInput } from '../src/temporal/messages.ts';
import { proposals } from './activities.ts';
import { beginStory } from './story.ts';

type Outcome = Extract<ProposalStage, { stage: 'ended' }>['outcome'];

/** The clock and state machine of a proposal. Its facts are in Postgres; votes do not pass through here. */
export async function proposal(input: ProposalInput): Promise<Outcome> {
  const { proposalId } = input;
  const story = beginStory(input, ['endorsed', 'cancelRequested', 'transactionChanged']);
  const at = () => ({ proposalId, now: story.now() });
  const leaving = (stage: ProposalStage['stage']) => async () => {
    const now = await proposals.readStage({ proposalId });
    return now.stage === stage ? null : now;
  };

  let reached = await proposals.readStage({ proposalId });
  if (reached.stage === 'draft') {
    const { draftExpiresAt } = reached;
    story.tell('draft', 'Collecting endorsements.', draftExpiresAt);
    const opened = await story.until('the draft expires', draftExpiresAt, leaving('draft'));
    reached = opened === 'due' ? await proposals.expireDraft(at()) : opened;
  }
  if (reached.stage === 'voting') {
    const { votingEndsAt } = reached;
    story.tell('voting', 'Voting is open. Votes go to Postgres, not through this workflow.', votingEndsAt);
    await story.until('voting ends', votingEndsAt);
    reached = await proposals.closeVoting(at());
  }
  if (reached.stage === 'passed') {
    const { lockEndsAt, executionEndsAt } = reached;
    story.tell('lock', 'Passed. Nothing moves in the lock phase; it can still be cancelled.', lockEndsAt);
    const cancelled = await story.until('the lock phase ends', lockEndsAt, leaving('passed'));
    if (cancelled === 'due') story.tell('execution', 'Passed and ready to be executed.', executionEndsAt);
    const ended = await story.until('the execution phase ends', executionEndsAt, leaving('passed'));
    reached = ended === 'due' ? await proposals.endExecution(at()) : ended;
  }
  if (reached.stage !== 'ended') throw new Error(`a proposal cannot go on from ${reached.stage}`);

  story.tell('ended', `Over: ${reached.outcome}. Releasing the stakes.`);
  await proposals.releaseStakes(at());
  return reached.outcome;
}
