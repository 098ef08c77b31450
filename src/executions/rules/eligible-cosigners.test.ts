import { describe, expect, test } from '@jest/globals';
import { cosignersAfterVote, requiredCosigners } from './cosigners.ts';

test('after the vote a vault that asks for cosigners gets those who may cosign by then, and never fewer than before', () => {
  expect(cosignersAfterVote(0, { vault: 2, eligible: 0 })).toBe(0);
  expect(cosignersAfterVote(0, { vault: 2, eligible: 1 })).toBe(1);
  expect(cosignersAfterVote(0, { vault: 2, eligible: 5 })).toBe(2);
  expect(cosignersAfterVote(3, { vault: 2, eligible: 0 })).toBe(3);
  expect(cosignersAfterVote(0, { vault: undefined, eligible: 5 })).toBe(0);
});

describe('the number of required cosigners (k) of a proposal', () => {
  const kOf = (vault: number | undefined, asked: number | undefined, eligible: number, eligibleInVault = eligible) =>
    requiredCosigners({ vault, requested: asked, eligible, eligibleInVault });

  test('is the requested number, else the number of its vault, and at most the number of eligible cosigners', () => {
    expect(kOf(3, undefined, 5)).toBe(3);
    expect(kOf(3, undefined, 2)).toBe(2);
    expect(kOf(undefined, undefined, 5)).toBe(1);
    expect(kOf(1, 4, 5)).toBe(4);
    expect(kOf(undefined, 0, 5)).toBe(0);
    expect(kOf(3, 2, 2)).toBe(2);
  });

  test.each([
    ['asking for fewer', 3, 2, 5, 5, 'required_cosigners', 'THRESHOLD_BELOW_VAULT'],
    ['a threshold that no wallet reaches', 2, undefined, 0, 5, 'cosigning_threshold', 'THRESHOLD_BELOW_VAULT'],
    ['a threshold that too few reach', 2, 2, 1, 5, 'cosigning_threshold', 'THRESHOLD_BELOW_VAULT'],
    ['asking for more than there are', 1, 4, 3, 3, 'required_cosigners', 'INVALID_REQUEST'],
  ] as const)('can be neither below its vault’s nor unreachable: %s', (_how, vault, asked, may, all, name, code) => {
    const field = `governance_thresholds.${name}`;
    expect(() => kOf(vault, asked, may, all)).toThrow(
      expect.objectContaining({ code, details: { errors: [expect.objectContaining({ field })] } }),
    );
  });
});
