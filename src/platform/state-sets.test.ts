import { describe, expect, test } from '@jest/globals';
import { assetStatuses, assetTransition } from '../assets/rules/asset.ts';
import { executionStatuses, executionTransition } from '../executions/rules/execution.ts';
import { investmentStatuses, investmentTransition } from '../investments/rules.ts';
import { proposalStatuses, proposalTransition } from '../proposals/rules/proposal.ts';
import { stakeStatuses, stakeTransition } from '../staking/rules.ts';
import type { Direction, Transition } from './states.ts';
import { vaultStatuses, vaultTransition } from '../vaults/rules/vault.ts';
import { voteStatuses, voteTransition } from '../votes/rules.ts';
import { windowStatuses, windowTransition } from '../vaults/rules/window.ts';

interface StateSet {
  readonly subject: string;
  readonly statuses: readonly string[];
  readonly transition: Transition<string>;
  readonly forward: readonly string[];
  readonly rollback: readonly string[];
}

// Repeats the tables on purpose, so that a change of a table needs a second, deliberate change here.
const stateSets: readonly StateSet[] = [
  {
    subject: 'vault',
    statuses: vaultStatuses,
    transition: vaultTransition as Transition<string>,
    forward: ['DRAFT>ACTIVE', 'DRAFT>TERMINATED', 'ACTIVE>LOCKED', 'ACTIVE>TERMINATED', 'LOCKED>TERMINATED'],
    rollback: ['LOCKED>ACTIVE', 'TERMINATED>LOCKED'],
  },
  {
    subject: 'window',
    statuses: windowStatuses,
    transition: windowTransition as Transition<string>,
    forward: ['PENDING>ACTIVE', 'PENDING>FAILED', 'ACTIVE>COMPLETED', 'ACTIVE>FAILED', 'COMPLETED>FAILED'],
    rollback: [],
  },
  {
    subject: 'asset',
    statuses: assetStatuses,
    transition: assetTransition as Transition<string>,
    forward: ['PENDING>LOCKED', 'PENDING>RELEASED', 'LOCKED>RELEASED'],
    rollback: ['LOCKED>PENDING', 'RELEASED>LOCKED'],
  },
  {
    subject: 'investment',
    statuses: investmentStatuses,
    transition: investmentTransition as Transition<string>,
    forward: ['PENDING>CONFIRMED', 'PENDING>EXPIRED', 'CONFIRMED>SETTLED', 'CONFIRMED>REFUNDED'],
    rollback: ['CONFIRMED>PENDING', 'EXPIRED>PENDING', 'SETTLED>CONFIRMED', 'REFUNDED>CONFIRMED'],
  },
  {
    subject: 'proposal',
    statuses: proposalStatuses,
    transition: proposalTransition as Transition<string>,
    forward: ['DRAFT>ACTIVE', 'DRAFT>FAILED', 'ACTIVE>PASSED', 'ACTIVE>FAILED', 'PASSED>EXECUTED', 'PASSED>FAILED'],
    rollback: ['EXECUTED>PASSED'],
  },
  {
    subject: 'execution',
    statuses: executionStatuses,
    transition: executionTransition as Transition<string>,
    forward: ['FROZEN>SENT', 'FROZEN>VOIDED', 'SENT>EXECUTED', 'SENT>FAILED'],
    rollback: ['EXECUTED>SENT', 'EXECUTED>FAILED', 'FAILED>EXECUTED'],
  },
  {
    subject: 'vote',
    statuses: voteStatuses,
    transition: voteTransition as Transition<string>,
    forward: ['CAST>CONFIRMED', 'CAST>REVOKED', 'CONFIRMED>REVOKED'],
    rollback: ['CONFIRMED>CAST'],
  },
  {
    subject: 'stake',
    statuses: stakeStatuses,
    transition: stakeTransition as Transition<string>,
    forward: ['ACTIVE>LOCKED', 'ACTIVE>RELEASED', 'LOCKED>ACTIVE'],
    rollback: ['RELEASED>ACTIVE'],
  },
];

describe.each(stateSets)('$subject', ({ subject, statuses, transition, forward, rollback }) => {
  const pairs = statuses.flatMap((from) => statuses.map((to) => ({ from, to, edge: `${from}>${to}` })));

  test.each(pairs)('$edge is allowed exactly if the table lists it', ({ from, to, edge }) => {
    const outcome = (direction: Direction) => {
      try {
        return transition(from, to, direction);
      } catch (error) {
        return error;
      }
    };
    const refusal = expect.objectContaining({ code: 'INVALID_TRANSITION' });
    expect(outcome('forward')).toEqual(forward.includes(edge) ? to : refusal);
    expect(outcome('rollback')).toEqual(rollback.includes(edge) ? to : refusal);
  });

  test('a refused change names the subject, both statuses and the direction', () => {
    const last = statuses.at(-1) ?? '';
    const details = { subject, from: last, to: last, direction: 'forward' };
    expect(() => transition(last, last)).toThrow(expect.objectContaining({ details }));
  });
});
