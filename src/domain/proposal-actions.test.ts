import { expect, test } from '@jest/globals';
import { instant } from './instant.ts';
import { allowedProposalActions, governanceRefusal, requireAction } from './proposal-actions.ts';
import { planPhases, type ProposalFacts } from './proposal-phases.ts';

/** Voting 1,000–11,000 ms, lock until 16,000, execution until 24,000. */
const facts = (change: Partial<ProposalFacts>): ProposalFacts => ({
  status: 'ACTIVE',
  failureReason: null,
  endedAt: null,
  draftExpiresAt: instant(1_000),
  phases: planPhases(instant(1_000), { voting: 10, lock: 5, execution: 8 }),
  standing: 'passed',
  executionSent: false,
  ...change,
});
const governed = { status: 'LOCKED', failedBecause: null } as const;
const draft = facts({ status: 'DRAFT', phases: null });
const lost = facts({ standing: 'rejected' });
const sent = facts({ status: 'PASSED', executionSent: true });

const [late, closed, firm, early, over] = [
  'ENDORSING_CLOSED',
  'VOTING_CLOSED',
  'PROPOSAL_NOT_CANCELLABLE',
  'EXECUTION_NOT_OPEN',
  'EXECUTION_CLOSED',
];

test.each([
  ['a draft', draft, 999, [true, 'VOTING_NOT_OPEN', 'VOTING_NOT_OPEN', true, early]],
  ['an expired draft', draft, 1_000, [late, closed, closed, firm, over]],
  ['a vote', facts({}), 10_999, [late, true, true, firm, early]],
  ['a vote whose time is over', facts({}), 11_000, [late, closed, closed, true, early]],
  ['a lost vote nobody closed', lost, 11_000, [late, closed, closed, firm, over]],
  ['the lock phase', facts({ status: 'PASSED' }), 15_999, [late, closed, closed, true, early]],
  ['the execution phase', facts({ status: 'PASSED' }), 16_000, [late, closed, closed, firm, true]],
  ['the execution phase of a vote nobody closed', facts({}), 16_000, [late, closed, closed, firm, 'SERVICE_NOT_READY']],
  ['an execution on its way', sent, 16_000, [late, closed, closed, firm, 'EXECUTION_UNDER_WAY']],
  ['an elapsed window', facts({ status: 'PASSED' }), 24_000, [late, closed, closed, firm, over]],
  ['an executed one', facts({ status: 'EXECUTED' }), 16_000, [late, closed, closed, firm, over]],
] as const)('endorse, vote, revoke, cancel, execute: %s', (_name, proposal, now, expected) => {
  const actions = allowedProposalActions(proposal, governed, instant(now));
  expect(actions.map(({ allowed, reason }) => reason ?? allowed)).toEqual(expected);
});

test('a passed proposal of a vault that is on its way to its end is not offered for execution', () => {
  const ending = { status: 'LOCKED', failedBecause: 'liquidated' } as const;
  const actions = allowedProposalActions(facts({ status: 'PASSED' }), ending, instant(16_000));
  expect(actions).toContainEqual({ action: 'execute', allowed: false, reason: 'VAULT_ALREADY_ENDED' });
});

test('a refused action says in which phase it came', () => {
  const details = { phase: 'voting', phaseEndsAt: '1970-01-01T00:00:11.000Z' };
  expect(() => {
    requireAction('execute', facts({}), instant(2_000));
  }).toThrow(expect.objectContaining({ code: 'EXECUTION_NOT_OPEN', details }));
  expect(() => {
    requireAction('vote', facts({}), instant(2_000));
  }).not.toThrow();
});

test.each([
  ['DRAFT', null, 'VAULT_NOT_LOCKED'],
  ['ACTIVE', null, 'VAULT_NOT_LOCKED'],
  ['LOCKED', null, undefined],
  ['LOCKED', 'liquidated', 'VAULT_ALREADY_ENDED'],
  ['TERMINATED', 'cancelled', 'VAULT_ALREADY_ENDED'],
] as const)('a vault that is %s (ending: %s) is governed: %s', (status, failedBecause, refusal) => {
  expect(governanceRefusal({ status, failedBecause })).toBe(refusal);
});
