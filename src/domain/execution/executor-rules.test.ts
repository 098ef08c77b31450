import { expect, test } from '@jest/globals';
import { baseUnits, basisPoints } from '../units/money.ts';
import { cosigningRules } from './executor-rules.ts';

const requiredOf = (requiredCosigners: number, cosigners: { required: number; keyHashes: string[] } | null) =>
  cosigningRules({
    proposal: { proposer: 'proposer', requiredCosigners, thresholds: { cosigning: basisPoints(1000n) } },
    vault: { createdBy: 'admin', cosigners, terms: { ftSupply: baseUnits(1n) } },
  }).required;

test('as many cosigners sign as the proposal or the custody requires, whichever is more', () => {
  expect(requiredOf(2, null)).toBe(2);
  expect(requiredOf(1, { required: 2, keyHashes: ['a', 'b', 'c'] })).toBe(2);
  expect(requiredOf(3, { required: 2, keyHashes: ['a', 'b', 'c'] })).toBe(3);
});

test('after a rotation to fewer cosigners than a proposal requires, all of them sign', () => {
  expect(requiredOf(3, { required: 1, keyHashes: ['a', 'b'] })).toBe(2);
});
