import type { ProposalActivities, ProposalStage, TallyActivities } from '../../src/platform/temporal/activity-types.ts';
import { proposalWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { anHourAgo, CLOCK_OFFSET_MS, inAnHour, tomorrow, type Wait } from './waits.ts';

const proposalId = '00000000-0000-4000-8000-000000000002';
const passed = { stage: 'passed', lockEndsAt: anHourAgo, executionEndsAt: tomorrow, isSent: false } as const;
const sentLate = { ...passed, executionEndsAt: anHourAgo, isSent: true };
const ended = (outcome: Extract<ProposalStage, { stage: 'ended' }>['outcome']) =>
  ({ stage: 'ended', outcome }) as const;

/** A proposal in one stage until the wait is over, then in another. */
function stages(before: ProposalStage, after: ProposalStage, changed: Partial<ProposalActivities> = {}) {
  return (isOver: () => boolean): ProposalActivities & TallyActivities => {
    const stage = () => Promise.resolve(isOver() ? after : before);
    const tooEarly = () => Promise.reject(new Error('its time has not come'));
    return {
      readStage: stage,
      expireDraft: tooEarly,
      closeVoting: tooEarly,
      endExecution: tooEarly,
      releaseStakes: () => Promise.resolve(),
      anchorTally: () => Promise.resolve(),
      ...changed,
    };
  };
}

const proposal = {
  type: 'proposal',
  workflowId: proposalWorkflowId(proposalId),
  input: { proposalId, clockOffsetMs: CLOCK_OFFSET_MS },
  signal: 'transactionChanged',
} as const;

export const proposalWaits = {
  'a draft that waits for endorsements': {
    ...proposal,
    signal: 'endorsed',
    activities: (isOver) => ({
      ...stages({ stage: 'draft', draftExpiresAt: inAnHour }, { stage: 'voting', votingEndsAt: tomorrow })(isOver),
    }),
    waiting: 'Collecting endorsements.',
    goneOn: { details: 'Voting is open.' },
  },
  'a proposal that waits for the end of its vote': {
    ...proposal,
    activities: (isOver) => {
      const voting = { stage: 'voting', votingEndsAt: inAnHour } as const;
      const closeVoting = () => Promise.resolve(ended('quorum_not_reached'));
      return { ...stages(voting, voting, { closeVoting })(isOver) };
    },
    waiting: 'Voting is open.',
    goneOn: { details: 'Ended: quorum_not_reached. The stakes are released.' },
    endsAfterMs: 3_660_000,
  },
  'a proposal that waits in its lock phase': {
    ...proposal,
    signal: 'cancelRequested',
    activities: (isOver) => ({ ...stages({ ...passed, lockEndsAt: inAnHour }, ended('cancelled'))(isOver) }),
    waiting: 'In the lock phase, it can still be cancelled',
    goneOn: { details: 'Ended: cancelled. The stakes are released.' },
  },
  'a proposal that waits for its execution': {
    ...proposal,
    activities: (isOver) => ({ ...stages(passed, { stage: 'executed' })(isOver) }),
    waiting: 'Passed and ready to be executed.',
    goneOn: { details: 'Executed. Waiting until the transaction is final' },
  },
  'a proposal that waits for an execution that was sent late': {
    ...proposal,
    activities: (isOver) => {
      const endExecution = () => Promise.resolve(isOver() ? ended('execution_window_elapsed') : sentLate);
      return { ...stages(sentLate, { ...sentLate, isSent: false }, { endExecution })(isOver) };
    },
    waiting: 'The execution phase is over.',
    goneOn: { details: 'Ended: execution_window_elapsed. The stakes are released.' },
  },
  'a proposal that waits until its execution is final': {
    ...proposal,
    activities: (isOver) => ({ ...stages({ stage: 'executed' }, ended('executed'))(isOver) }),
    waiting: 'Executed. Waiting until the transaction is final',
    goneOn: { details: 'Ended: executed. The stakes are released.' },
  },
} as const satisfies Readonly<Record<string, Wait>>;
