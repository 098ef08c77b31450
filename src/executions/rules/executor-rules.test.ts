import { expect, test } from '@jest/globals';
import { baseUnits, basisPoints } from '../../platform/units/money.ts';
import { cosigningRules, hasSigningLease, mayExecute } from './execution.ts';

const requiredOf = (requiredCosigners: number, cosigners: { required: number; keyHashes: string[] } | null) =>
  cosigningRules({
    proposal: { requiredCosigners, thresholds: { cosigning: basisPoints(1000n) } },
    vault: { cosigners },
    supply: baseUnits(1n),
  }).required;

test('as many cosigners sign as the proposal or the custody requires, whichever is more', () => {
  expect(requiredOf(2, null)).toBe(2);
  expect(requiredOf(1, { required: 2, keyHashes: ['a', 'b', 'c'] })).toBe(2);
  expect(requiredOf(3, { required: 2, keyHashes: ['a', 'b', 'c'] })).toBe(3);
});

test('after a rotation to fewer cosigners than a proposal requires, all of them sign', () => {
  expect(requiredOf(3, { required: 1, keyHashes: ['a', 'b'] })).toBe(2);
});

test('dust has no signing lease where the cosigning threshold is low, a registered key and a twelfth of the supply have', () => {
  const governed = (cosigning: bigint, keyHashes: string[] = []) => ({
    proposal: { proposer: 'proposer', requiredCosigners: 1, thresholds: { cosigning: basisPoints(cosigning) } },
    vault: { createdBy: 'admin', cosigners: keyHashes.length > 0 ? { required: 1, keyHashes } : null },
    supply: baseUnits(10_000n),
  });
  const staker = (power: bigint) => ({ wallet: 'staker', keyHash: 'key', power: baseUnits(power) });
  expect(mayExecute(staker(1n), governed(0n), null)).toBe(true);
  expect(hasSigningLease(staker(833n), governed(0n))).toBe(false);
  expect(hasSigningLease(staker(834n), governed(0n))).toBe(true);
  expect(hasSigningLease(staker(834n), governed(2_000n))).toBe(false);
  expect(hasSigningLease(staker(0n), governed(2_000n, ['key']))).toBe(true);
  expect(hasSigningLease({ ...staker(0n), wallet: 'admin' }, governed(2_000n))).toBe(true);
});
