import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { type StepsSnapshot, viewSteps } from './steps.ts';

const at = instant(new Date('2026-11-23T00:00:00Z'));
const begun: StepsSnapshot = {
  awaitsProposals: true,
  transactions: [],
  claimsOpenedAt: null,
  endedBecause: null,
  namesAssetRecipient: true,
  namesLovelaceRecipient: false,
  terminatedAt: null,
};
const statuses = (snapshot: Partial<StepsSnapshot>) => viewSteps({ ...begun, ...snapshot }).map(({ status }) => status);
const gathering = (state: 'awaiting_signatures' | 'confirmed' | 'expired') => ({
  awaitsProposals: false,
  transactions: [{ kind: 'gather_pot', hash: 'a1', state, at }],
});

test('the steps of an end follow one another, and those without a recipient are skipped', () => {
  expect(statuses({})).toEqual(['running', 'pending', 'pending', 'pending', 'skipped', 'pending']);
  expect(statuses({ awaitsProposals: false }).slice(0, 3)).toEqual(['done', 'running', 'pending']);
  expect(statuses({ ...gathering('confirmed') }).slice(0, 3)).toEqual(['done', 'running', 'pending']);
  expect(statuses({ ...gathering('confirmed'), claimsOpenedAt: at })).toEqual([
    'done',
    'done',
    'done',
    'running',
    'skipped',
    'pending',
  ]);
  expect(statuses({ ...gathering('confirmed'), claimsOpenedAt: at, terminatedAt: at })).toEqual([
    'done',
    'done',
    'done',
    'done',
    'skipped',
    'done',
  ]);
});

test('a step shows its newest transaction, and whether it waits for cosigners', () => {
  expect(viewSteps({ ...begun, ...gathering('awaiting_signatures') })[1]).toEqual({
    name: 'gather_pot',
    status: 'waiting_for_cosigners',
    transactionHash: 'a1',
    reason: null,
    at,
  });
  expect(viewSteps({ ...begun, ...gathering('expired') })[1]).toMatchObject({ status: 'running' });
});
