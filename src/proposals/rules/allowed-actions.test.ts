import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { baseUnits } from '../../platform/units/money.ts';
import {
  type AllowedProposalAction,
  allowedProposalActions,
  type ActionCaller,
  type ParticipationSnapshot,
  requireMayEndorse,
  proposalActions,
  requireAction,
  governanceRefusal,
  isRefusedWhileEnding,
} from './allowed-actions.ts';
import { planPhases, type ProposalSnapshot } from './phases.ts';

/** Voting 1,000–11,000 ms, lock until 16,000, execution until 24,000. */
const snapshotOf = (change: Partial<ProposalSnapshot>): ProposalSnapshot => ({
  status: 'ACTIVE',
  failureReason: null,
  endedAt: null,
  draftExpiresAt: instant(1_000),
  phases: planPhases(instant(1_000), { voting: 10, lock: 5, execution: 8 }),
  outcome: 'passed',
  executionSent: false,
  ...change,
});
const governed = { status: 'LOCKED', failedBecause: null, claimsOpen: false } as const;
const draft = snapshotOf({ status: 'DRAFT', phases: null });
const lost = snapshotOf({ outcome: 'rejected' });
const sent = snapshotOf({ status: 'PASSED', executionSent: true });

const [late, closed, firm, early, over] = [
  'ENDORSING_CLOSED',
  'VOTING_CLOSED',
  'PROPOSAL_NOT_CANCELLABLE',
  'EXECUTION_NOT_OPEN',
  'EXECUTION_CLOSED',
];

const anyWallet: ActionCaller = { forAnyWallet: proposalActions };

test.each([
  ['a draft', draft, 999, [true, 'VOTING_NOT_OPEN', 'VOTING_NOT_OPEN', true, early]],
  ['an expired draft', draft, 1_000, [late, closed, closed, firm, over]],
  ['a vote', snapshotOf({}), 10_999, [late, true, true, firm, early]],
  ['a vote whose time is over', snapshotOf({}), 11_000, [late, closed, closed, true, early]],
  ['a lost vote that is not closed yet', lost, 11_000, [late, closed, closed, firm, over]],
  ['the lock phase', snapshotOf({ status: 'PASSED' }), 15_999, [late, closed, closed, true, early]],
  ['the execution phase', snapshotOf({ status: 'PASSED' }), 16_000, [late, closed, closed, firm, true]],
  [
    'the execution phase of a vote that is not closed yet',
    snapshotOf({}),
    16_000,
    [late, closed, closed, firm, 'SERVICE_NOT_READY'],
  ],
  ['an execution on its way', sent, 16_000, [late, closed, closed, firm, 'EXECUTION_UNDER_WAY']],
  ['an elapsed window', snapshotOf({ status: 'PASSED' }), 24_000, [late, closed, closed, firm, over]],
  ['an executed one', snapshotOf({ status: 'EXECUTED' }), 16_000, [late, closed, closed, firm, over]],
] as const)('whether endorse, vote, revoke, cancel and execute are allowed: %s', (_name, proposal, now, expected) => {
  const actions = withoutFreeze(allowedProposalActions(proposal, governed, anyWallet, instant(now)));
  expect(actions.map(({ allowed, reason }) => reason ?? allowed)).toEqual(expected);
});

/** Whoever may not execute may not freeze either; the test of freezing is below. */
function withoutFreeze(actions: readonly AllowedProposalAction[]): readonly AllowedProposalAction[] {
  return actions.filter(({ action }) => action !== 'freeze');
}

const nothing = baseUnits(0n);
const stranger: ParticipationSnapshot = {
  endorsing: { power: nothing, isNew: true, opensVoting: false },
  votingPower: nothing,
  vote: null,
  mayCancel: false,
  executing: { hasPart: false, isPartner: false, isRefusedPartner: false, frozen: null },
};
const staker: ParticipationSnapshot = {
  ...stranger,
  endorsing: { power: baseUnits(5n), isNew: true, opensVoting: false },
  votingPower: baseUnits(5n),
};
const proposer: ParticipationSnapshot = {
  ...staker,
  endorsing: { ...staker.endorsing, isNew: false },
  mayCancel: true,
  executing: { ...stranger.executing, hasPart: true },
};
const opener: ParticipationSnapshot = { ...proposer, endorsing: { ...proposer.endorsing, opensVoting: true } };
const voter: ParticipationSnapshot = { ...staker, vote: 'CONFIRMED' };
const revoker: ParticipationSnapshot = { ...staker, vote: 'REVOKED' };
const [none, unasked, again, powerless, unstaked, taken, outside] = [
  'VOTE_NOT_FOUND',
  'INSUFFICIENT_PERMISSIONS',
  'ALREADY_ENDORSED',
  'NOT_STAKED_AT_SNAPSHOT',
  'INSUFFICIENT_VOTING_POWER',
  'VOTE_ALREADY_REVOKED',
  'EXECUTOR_NOT_ELIGIBLE',
];
const [aVote, passed] = [snapshotOf({}), snapshotOf({ status: 'PASSED' })];

test.each<readonly [string, ActionCaller, ProposalSnapshot, number, readonly (boolean | string)[]]>([
  ['a stranger, of a draft', stranger, draft, 999, [unstaked, 'VOTING_NOT_OPEN', none, unasked, early]],
  ['a staker, of a draft', staker, draft, 999, [true, 'VOTING_NOT_OPEN', none, unasked, early]],
  ['its proposer, of a draft', proposer, draft, 999, [again, 'VOTING_NOT_OPEN', none, true, early]],
  ['its proposer with stakes enough now', opener, draft, 999, [true, 'VOTING_NOT_OPEN', none, true, early]],
  ['a stranger, of a vote', stranger, aVote, 2_000, [late, powerless, none, unasked, early]],
  ['a staker, of a vote', staker, aVote, 2_000, [late, true, none, unasked, early]],
  ['a wallet that voted', voter, aVote, 2_000, [late, true, true, unasked, early]],
  ['a wallet that revoked its vote', revoker, aVote, 2_000, [late, true, taken, unasked, early]],
  ['its proposer, of a vote', proposer, aVote, 2_000, [late, true, none, firm, early]],
  ['a wallet that voted, of the lock phase', voter, passed, 11_000, [late, closed, closed, unasked, early]],
  [
    'a wallet that revoked its vote, of the lock phase',
    revoker,
    passed,
    11_000,
    [late, closed, closed, unasked, early],
  ],
  ['its proposer, of the lock phase', proposer, passed, 11_000, [late, closed, none, true, early]],
  ['a staker, of the execution phase', staker, passed, 16_000, [late, closed, none, unasked, outside]],
  ['its proposer, of the execution phase', proposer, passed, 16_000, [late, closed, none, firm, true]],
  ['its proposer, of an elapsed window', proposer, passed, 24_000, [late, closed, none, firm, over]],
  ['a key that acts for nobody', { forAnyWallet: [] }, draft, 999, Array<string>(5).fill(unasked)],
])('whether endorse, vote, revoke, cancel and execute are allowed for %s', (_name, asking, proposal, now, expected) => {
  const actions = withoutFreeze(allowedProposalActions(proposal, governed, asking, instant(now)));
  expect(actions.map(({ allowed, reason }) => reason ?? allowed)).toEqual(expected);
});

const notFrozen = { ...stranger.executing };
const buyer = { ...notFrozen, isPartner: true };
test.each([
  ['a stranger', notFrozen, outside, outside],
  ['a buyer', buyer, true, true],
  ['a buyer with too many failures', { ...buyer, isRefusedPartner: true }, 'PARTNER_REFUSED', 'PARTNER_REFUSED'],
  ['a proposer with too many failures as buyer', { ...buyer, hasPart: true, isRefusedPartner: true }, true, true],
  ['the buyer who froze', { ...buyer, frozen: { isOwn: true, isPartner: true } }, true, true],
  ['the buyer of what others froze', { ...buyer, frozen: { isOwn: false, isPartner: true } }, outside, true],
  [
    'a buyer, of what is frozen for another',
    { ...buyer, frozen: { isOwn: false, isPartner: false } },
    outside,
    outside,
  ],
  [
    'its proposer, of what others froze',
    { ...notFrozen, hasPart: true, frozen: { isOwn: false, isPartner: false } },
    true,
    true,
  ],
] as const)(
  'in the execution phase, %s may freeze and execute, or is told why not',
  (_who, executing, freeze, execute) => {
    const actions = allowedProposalActions(passed, governed, { ...staker, executing }, instant(16_000));
    const told = Object.fromEntries(actions.map(({ action, allowed, reason }) => [action, reason ?? allowed]));
    expect(told).toMatchObject({ freeze, execute });
    const early = allowedProposalActions(passed, governed, { ...staker, executing }, instant(15_999));
    expect(early).toContainEqual({ action: 'freeze', allowed: false, reason: 'EXECUTION_NOT_OPEN' });
  },
);

test('an endorsement is refused with the reason that allowed actions give', () => {
  const { endorsing } = staker;
  expect(() => {
    requireMayEndorse('w', endorsing);
    requireMayEndorse('w', { ...endorsing, isNew: false, opensVoting: true });
  }).not.toThrow();
  expect(() => {
    requireMayEndorse('w', { ...endorsing, isNew: false });
  }).toThrow(expect.objectContaining({ code: again, details: { wallet: 'w' } }));
  expect(() => {
    requireMayEndorse('w', { ...stranger.endorsing, opensVoting: true });
  }).toThrow(expect.objectContaining({ code: unstaked, details: { required: '1', available: '0' } }));
});

test.each([
  ['execute', snapshotOf({ status: 'PASSED' }), 16_000],
  ['freeze', snapshotOf({ status: 'PASSED' }), 16_000],
  ['endorse', draft, 999],
] as const)('in a vault that is ending, nobody may %s', (action, proposal, now) => {
  const ending = { status: 'LOCKED', failedBecause: 'liquidated', claimsOpen: false } as const;
  const actions = allowedProposalActions(proposal, ending, anyWallet, instant(now));
  expect(actions).toContainEqual({ action, allowed: false, reason: 'VAULT_ALREADY_ENDED' });
});

test('the refusal of an action names the current phase', () => {
  const details = { phase: 'voting', phaseEndsAt: '1970-01-01T00:00:11.000Z' };
  expect(() => {
    requireAction('execute', snapshotOf({}), instant(2_000));
  }).toThrow(expect.objectContaining({ code: 'EXECUTION_NOT_OPEN', details }));
  expect(() => {
    requireAction('vote', snapshotOf({}), instant(2_000));
  }).not.toThrow();
});

test.each([
  ['DRAFT', null, 'VAULT_NOT_LOCKED'],
  ['ACTIVE', null, 'VAULT_NOT_LOCKED'],
  ['LOCKED', null, undefined],
  ['LOCKED', 'liquidated', 'VAULT_ALREADY_ENDED'],
  ['TERMINATED', 'cancelled', 'VAULT_ALREADY_ENDED'],
] as const)('governance of a vault that is %s (ending: %s) is refused with: %s', (status, failedBecause, refusal) => {
  expect(governanceRefusal({ status, failedBecause, claimsOpen: false })).toBe(refusal);
});

test('while the claims on a vault run, its holders can decide sales only', () => {
  const ending = { status: 'LOCKED', failedBecause: 'liquidated', claimsOpen: true } as const;
  expect(governanceRefusal(ending)).toBeUndefined();
  expect(isRefusedWhileEnding(ending, { type: 'ASSET_SALE', terms: {} })).toBe(false);
  expect(isRefusedWhileEnding(ending, { type: 'BUY', terms: {} })).toBe(true);
  // What is staked elsewhere can only be sold once it is back.
  expect(isRefusedWhileEnding(ending, { type: 'STAKE', terms: { direction: 'back' } })).toBe(false);
  expect(isRefusedWhileEnding(ending, { type: 'STAKE', terms: { direction: 'out' } })).toBe(true);
  expect(governanceRefusal({ ...ending, claimsOpen: false })).toBe('VAULT_ALREADY_ENDED');
});
