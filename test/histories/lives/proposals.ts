import { wallClock, secondsAfter } from '../../../src/platform/units/time.ts';
import type { ProposalActivities, ProposalStage, TallyActivities } from '../../../src/platform/temporal/activity-types.ts';
import { proposalWorkflowId } from '../../../src/platform/temporal/workflow-ids.ts';
import { endBySignals, type Life, returning } from './life.ts';

const inSeconds = (seconds: number) => secondsAfter(wallClock.now(), seconds);
const HOUR = 3600;
const proposalId = '00000000-0000-4000-8000-000000000002';

const draft = (seconds = HOUR): ProposalStage => ({ stage: 'draft', draftExpiresAt: inSeconds(seconds) });
const voting = (seconds = 1): ProposalStage => ({ stage: 'voting', votingEndsAt: inSeconds(seconds) });
const passed = (lockSeconds = 1, executionSeconds = HOUR, isSent = false): ProposalStage => ({
  stage: 'passed',
  lockEndsAt: inSeconds(lockSeconds),
  executionEndsAt: inSeconds(executionSeconds),
  isSent,
});
const executed: ProposalStage = { stage: 'executed' };
const ended = (outcome: Extract<ProposalStage, { stage: 'ended' }>['outcome']): ProposalStage => ({
  stage: 'ended',
  outcome,
});

/** A proposal that is read in these stages. */
function proposal(stages: readonly ProposalStage[], changed: Partial<ProposalActivities> = {}): Life {
  const activities: ProposalActivities & TallyActivities = {
    readStage: returning(...stages),
    expireDraft: returning(ended('draft_expired')),
    closeVoting: returning(passed()),
    endExecution: returning(ended('execution_window_elapsed')),
    releaseStakes: () => Promise.resolve(),
    anchorTally: () => Promise.resolve(),
    ...changed,
  };
  return {
    type: 'proposal',
    workflowId: proposalWorkflowId(proposalId),
    input: { proposalId, clockOffsetMs: 0 },
    activities: { ...activities },
    drive: endBySignals('transactionChanged'),
  };
}

export const proposalLives = {
  'proposal-expired': () => proposal([draft(1)]),
  'proposal-rejected': () => proposal([draft(), draft(), voting()], { closeVoting: returning(ended('quorum_not_reached')) }),
  'proposal-vault-ended': () => proposal([voting(HOUR), voting(HOUR), ended('cancelled')]),
  'proposal-cancelled': () => proposal([passed(HOUR), passed(HOUR), ended('cancelled')]),
  // A rollback removes the execution, which is confirmed again.
  'proposal-executed': () =>
    proposal([passed(-1), passed(-1), executed, executed, passed(-1), executed, ended('executed')]),
  // It was sent, and is waited for after the execution phase.
  'proposal-late': () =>
    proposal([passed(-2, 1, true), passed(-2, 1, true), passed(-2, -1, true), passed(-2, -1, true), passed(-2, -1)], {
      endExecution: returning(passed(-2, -1, true), ended('execution_window_elapsed')),
    }),
};
