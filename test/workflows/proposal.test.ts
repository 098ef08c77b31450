import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import type { ProposalStage } from '../../src/platform/temporal/activity-types.ts';
import type { WorkflowSignal } from '../../src/platform/temporal/messages.ts';
import { until } from '../stack/until.ts';
import { ended, endsAs, runProposal } from './run-proposal.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const begun = wallClock.now();
const at = (hours: number) => instant(begun + hours * HOUR);

const draft: ProposalStage = { stage: 'draft', draftExpiresAt: at(1) };
const voting: ProposalStage = { stage: 'voting', votingEndsAt: at(2) };
/** No worker was there when its vote ended. */
const late: ProposalStage = { stage: 'voting', votingEndsAt: at(-1) };
const executed: ProposalStage = { stage: 'executed' };
const passed = (lockHours: number, executionHours: number, isSent = false): ProposalStage => ({
  stage: 'passed',
  lockEndsAt: at(lockHours),
  executionEndsAt: at(executionHours),
  isSent,
});

test('a proposal goes from phase to phase, shows each with its end, and releases the stakes when its execution is final', async () => {
  await using proposal = await runProposal(draft, {
    closeVoting() {
      proposal.becomesUnseen(passed(3, 4));
      return Promise.resolve(passed(3, 4));
    },
  });
  await proposal.shows('Collecting endorsements.');
  expect(await proposal.phase()).toEqual({ name: 'draft', endsAt: at(1) });
  await proposal.becomes(voting, 'endorsed');
  await proposal.shows(`Voting is open. Waiting for the end of the vote.\n\nUntil **`);
  expect(await proposal.phase()).toEqual({ name: 'voting', endsAt: at(2) });
  await proposal.moveTo(2 * HOUR + MINUTE);
  await proposal.shows('Passed. In the lock phase, it can still be cancelled.');
  expect(await proposal.phase()).toEqual({ name: 'lock', endsAt: at(3) });
  await proposal.moveTo(3 * HOUR + MINUTE);
  await proposal.shows('Passed and ready to be executed.');
  expect(await proposal.phase()).toEqual({ name: 'execution', endsAt: at(4) });
  await proposal.becomes(executed, 'transactionChanged');
  await proposal.shows('Executed. Waiting until the transaction is final before the stakes are released.');
  expect(await proposal.phase()).toEqual({ name: 'executed', endsAt: undefined });
  expect(proposal.done().map(({ name }) => name)).toEqual(['closeVoting', 'anchorTally']);
  await proposal.becomes(ended('executed'), 'transactionChanged');
  expect(await proposal.outcome()).toBe('executed');
  expect(proposal.done().map(({ name }) => name)).toEqual(['closeVoting', 'anchorTally', 'releaseStakes']);
  expect(await proposal.details()).toBe('Ended: executed. The stakes are released.');
});

test.each([
  ['a draft expires', { stage: 'draft', draftExpiresAt: at(1) }, 'expireDraft', 'draft_expired'],
  ['a vote is closed', { stage: 'voting', votingEndsAt: at(1) }, 'closeVoting', 'quorum_not_reached'],
  ['an execution phase ends', passed(-1, 1), 'endExecution', 'execution_window_elapsed'],
] as const)('%s at its time, not before and once', async (_, stage, end, outcome) => {
  await using proposal = await runProposal(stage, { [end]: endsAs(ended(outcome)) });
  await proposal.shows('Until **');
  await proposal.moveTo(HOUR - MINUTE);
  expect(proposal.done().filter(({ name }) => name !== 'anchorTally')).toEqual([]);
  await proposal.moveTo(HOUR + MINUTE);
  expect(await proposal.outcome()).toBe(outcome);
  const [ending, ...others] = proposal.done().filter(({ name }) => name !== 'anchorTally');
  expect([ending?.name, ...others.map(({ name }) => name)]).toEqual([end, 'releaseStakes']);
  expect(ending?.now).toBeGreaterThanOrEqual(at(1));
  expect(ending?.now).toBeLessThan(at(1) + MINUTE);
});

test.each<[string, ProposalStage, WorkflowSignal, 'cancelled' | 'execution_failed' | 'executed']>([
  ['a draft that its proposer cancels', draft, 'cancelRequested', 'cancelled'],
  ['a vote whose vault ends', voting, 'transactionChanged', 'cancelled'],
  ['a proposal that is cancelled in its lock phase', passed(1, 2), 'cancelRequested', 'cancelled'],
  ['a proposal whose executions have failed', passed(-1, 2), 'transactionChanged', 'execution_failed'],
  ['a proposal whose execution is final at once', passed(-1, 2), 'transactionChanged', 'executed'],
  [
    'a proposal whose workflow is started when its execution is on the ledger',
    executed,
    'transactionChanged',
    'executed',
  ],
])('%s ends at once and releases its stakes', async (_, stage, signal, outcome) => {
  await using proposal = await runProposal(stage);
  await until(async () => (await proposal.phase()).name, { what: 'its phase' });
  await proposal.becomes(ended(outcome), signal);
  expect(await proposal.outcome()).toBe(outcome);
  expect(proposal.done().map(({ name }) => name)).toEqual(['anchorTally', 'releaseStakes']);
});

test('a proposal whose workflow is started again after its end releases the stakes', async () => {
  await using proposal = await runProposal(ended('tied'));
  expect(await proposal.outcome()).toBe('tied');
  expect(proposal.done().map(({ name }) => name)).toEqual(['anchorTally', 'releaseStakes']);
});

test('an execution that fails leaves the proposal open to another one until its phase ends', async () => {
  await using proposal = await runProposal(passed(-1, 1, true), {
    endExecution: endsAs(ended('execution_window_elapsed')),
  });
  await proposal.shows('Passed and ready to be executed.');
  await proposal.becomes(passed(-1, 1), 'transactionChanged');
  await until(() => proposal.hasReadSignals(), { what: 'the signal to be read' });
  await proposal.shows('Passed and ready to be executed.');
  await proposal.moveTo(HOUR + MINUTE);
  expect(await proposal.outcome()).toBe('execution_window_elapsed');
});

test('an execution that was sent in time is waited for, also when a rollback takes it from the ledger; then it is confirmed or the proposal fails', async () => {
  const sent = passed(-1, 1, true);
  let isSent = true;
  await using proposal = await runProposal(sent, {
    endExecution: () => Promise.resolve(isSent ? sent : ended('execution_window_elapsed')),
  });
  await proposal.shows('Passed and ready to be executed.');
  await proposal.moveTo(HOUR + MINUTE);
  await proposal.shows(
    'The execution phase is over. Waiting until the submitted transaction is in a block or has expired.',
  );
  expect(await proposal.phase()).toEqual({ name: 'landing', endsAt: undefined });
  await proposal.moveTo(20 * HOUR);
  await proposal.becomes(executed, 'transactionChanged');
  await proposal.shows('Executed. Waiting until the transaction is final');
  await proposal.becomes(sent, 'transactionChanged');
  await proposal.shows('The execution phase is over.');
  isSent = false;
  await proposal.becomes(passed(-1, 1), 'transactionChanged');
  expect(await proposal.outcome()).toBe('execution_window_elapsed');
});

test('a rollback within the execution phase makes the proposal wait for its execution again', async () => {
  await using proposal = await runProposal(executed);
  await proposal.shows('Executed.');
  await proposal.becomes(passed(-1, 1, true), 'transactionChanged');
  await proposal.shows('Passed and ready to be executed.');
  await proposal.becomes(executed, 'transactionChanged');
  await proposal.shows('Executed.');
  await proposal.becomes(ended('executed'), 'transactionChanged');
  expect(await proposal.outcome()).toBe('executed');
});

test('neither the close of a vote nor the release of its stakes waits for the anchor of the tally, and the workflow ends with it', async () => {
  const anchored = Promise.withResolvers<undefined>();
  await using proposal = await runProposal(late, {
    closeVoting: endsAs(ended('rejected')),
    anchorTally: () => anchored.promise,
  });
  // The worker cannot stop before the activity ends.
  using _end = {
    [Symbol.dispose]() {
      anchored.resolve(undefined);
    },
  };
  await until(() => proposal.done().length === 2, { what: 'the stakes to be released' });
  expect(proposal.done().map(({ name }) => name)).toEqual(['closeVoting', 'releaseStakes']);
  expect((await proposal.handle.describe()).status.name).toBe('RUNNING');
  anchored.resolve(undefined);
  expect(await proposal.outcome()).toBe('rejected');
});

test('a step that fails is tried again until it succeeds', async () => {
  let failures = 0;
  const failing = <Result>(result: Result) =>
    (failures += 1) % 3 === 0 ? Promise.resolve(result) : Promise.reject(new Error('Postgres is away'));
  await using proposal = await runProposal(late, {
    closeVoting: () => failing(ended('tied')),
    releaseStakes: () => failing(undefined),
  });
  expect(await proposal.outcome()).toBe('tied');
  expect(failures).toBe(6);
});
