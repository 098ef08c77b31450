import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { requireNoFewerInvestors, requireNoMorePolicies } from './access.ts';
import { requireChangeable } from './settings.ts';
import { builtInVaultTypes, type VaultType } from '../../types/rules.ts';
import type { Window } from './window.ts';

const hours = (n: number) => instant(n * 3_600_000);
const windowOf = (length: number): Window => ({
  kind: 'asset',
  status: 'ACTIVE',
  startsAt: hours(0),
  endsAt: hours(length),
});
const week = windowOf(168);
const refused = expect.objectContaining({ code: 'SETTING_NOT_CHANGEABLE' });

const policies = (before: string[], after: string[], at: number, window = week) => {
  return () => {
    requireNoMorePolicies({ before, after, field: 'addresses' }, window, hours(at));
  };
};
const investors = (before: string[], after: string[], at: number, type: VaultType = 'SEMI_PRIVATE') => {
  return () => {
    const change = { before, after, field: 'addresses' };
    requireNoFewerInvestors({ typeRules: builtInVaultTypes[type] }, change, week, hours(at));
  };
};

test.each([
  ['a worthless policy is accepted', ['good'], ['good', 'worthless']],
  ['the last policy is taken off, so that any is accepted', ['good'], []],
])('an admin cannot dilute contributors who have no time to leave: %s', (_case, before, after) => {
  expect(policies(before, after, 167)).toThrow(refused);
  expect(policies(before, after, 144)).toThrow(refused);
  expect(policies(before, after, 143)).not.toThrow();
});

test('fewer policies may always be accepted, and more once nothing can be contributed any more', () => {
  expect(policies(['one', 'two'], ['two'], 167)).not.toThrow();
  expect(policies([], ['one'], 167)).not.toThrow();
  expect(policies(['one'], ['one', 'two'], 168)).not.toThrow();
});

test('of a window shorter than two days the first half is left to change the lists', () => {
  expect(policies(['one'], ['two'], 11, windowOf(24))).not.toThrow();
  expect(policies(['one'], ['two'], 12, windowOf(24))).toThrow(refused);
});

test.each([
  ['takes others off the list', ['admin', 'other'], ['admin']],
  ['begins a list', [], ['admin']],
])('an admin who %s when contributors have no time to leave does not buy alone', (_case, before, after) => {
  expect(investors(before, after, 143)).not.toThrow();
  expect(investors(before, after, 144)).toThrow(refused);
  expect(investors(before, after, 300)).toThrow(refused);
});

test('an admin who switches the list on when contributors have no time to leave does not buy alone', () => {
  const terms = { typeRules: builtInVaultTypes.PUBLIC, investorWhitelist: ['admin'], investorListEnabled: false };
  const timing = { status: 'ACTIVE', assetWindow: week, settlementStarted: false } as const;
  const switchOn = (at: number) => () => {
    requireChangeable(terms, { investorListEnabled: true }, timing, hours(at));
  };
  expect(switchOn(143)).not.toThrow();
  expect(switchOn(144)).toThrow(refused);
});

test('the first investor on the list of a PRIVATE vault lets somebody in, at any time', () => {
  expect(investors([], ['investor'], 167, 'PRIVATE')).not.toThrow();
  expect(investors(['investor'], [], 167, 'PRIVATE')).toThrow(refused);
});
