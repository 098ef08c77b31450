import { describe, expect, test } from '@jest/globals';
import {
  cosignersMissing,
  type CosigningRules,
  mayCosign,
  requireCosigners,
  requiredCosigners,
  requireSignatures,
  signaturesMissing,
  signatureProgress,
} from './cosigning.ts';
import { baseUnits, basisPoints } from './money.ts';

const cosigner = (keyHash: string, power: bigint, wallet = `wallet-${keyHash}`) => ({
  wallet,
  keyHash,
  power: baseUnits(power),
});
const rules: CosigningRules = { required: 2, registered: [], threshold: basisPoints(100n), supply: baseUnits(1_000n) };

describe('cosigners', () => {
  test('hold the cosigning share of the supply, not a unit less', () => {
    const named = [cosigner('a', 10n), cosigner('b', 11n)];
    expect(named.every((one) => mayCosign(one, rules))).toBe(true);
    expect(requireCosigners(named, rules, signaturesMissing)).toEqual(named);
    expect(() => requireCosigners([...named, cosigner('c', 9n)], rules, signaturesMissing)).toThrow(
      expect.objectContaining({ code: 'COSIGNER_NOT_ELIGIBLE', details: { wallets: ['wallet-c'] } }),
    );
  });

  test('hold something even where any share would do', () => {
    const anyShare = { ...rules, threshold: basisPoints(0n) };
    expect(() => requireCosigners([cosigner('a', 0n)], anyShare, signaturesMissing)).toThrow(
      expect.objectContaining({ code: 'COSIGNER_NOT_ELIGIBLE' }),
    );
  });

  test('are the registered ones alone where there are any, whatever they staked', () => {
    const registered = { ...rules, required: 1, registered: ['a'] };
    expect(requireCosigners([cosigner('a', 0n)], registered, signaturesMissing)).toHaveLength(1);
    expect(() => requireCosigners([cosigner('b', 999n)], registered, signaturesMissing)).toThrow(
      expect.objectContaining({ code: 'COSIGNER_NOT_ELIGIBLE' }),
    );
  });

  test('are counted by key: two addresses of one key are one signer', () => {
    const twice = [cosigner('a', 10n), cosigner('a', 10n, 'another address')];
    expect(() => requireCosigners(twice, rules, signaturesMissing)).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_SIGNATURES',
        details: { required: 2, present: 1, missing: 1, missingSigners: [] },
      }),
    );
    expect(() => requireCosigners(twice, rules, cosignersMissing)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        details: { errors: [expect.objectContaining({ field: 'cosigners' })] },
      }),
    );
  });
});

test('a proposal needs its vault’s k, or as many as there are, or what it asks for', () => {
  expect(requiredCosigners({ vault: 3, asked: undefined, eligible: 5 })).toBe(3);
  expect(requiredCosigners({ vault: 3, asked: undefined, eligible: 2 })).toBe(2);
  expect(requiredCosigners({ vault: undefined, asked: undefined, eligible: 5 })).toBe(1);
  expect(requiredCosigners({ vault: 1, asked: 4, eligible: 5 })).toBe(4);
  expect(requiredCosigners({ vault: undefined, asked: 0, eligible: 5 })).toBe(0);
  expect(requiredCosigners({ vault: 3, asked: 2, eligible: 2 })).toBe(2);
  expect(() => requiredCosigners({ vault: 3, asked: 2, eligible: 5 })).toThrow(
    expect.objectContaining({ code: 'THRESHOLD_BELOW_VAULT' }),
  );
});

test('an execution waits for everyone it names, and says for whom', () => {
  const signers = [cosigner('a', 1n), cosigner('b', 1n), cosigner('c', 1n)];
  expect(signatureProgress(signers, new Set(['b', 'stranger']))).toEqual({
    required: 3,
    present: 1,
    missing: 2,
    missingSigners: ['wallet-a', 'wallet-c'],
  });
  const details = { required: 3, present: 2, missing: 1, missingSigners: ['wallet-c'] };
  expect(() => {
    requireSignatures(signers, new Set(['a', 'b']));
  }).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_SIGNATURES', details }));
  expect(() => {
    requireSignatures(signers, new Set(['a', 'b', 'c']));
  }).not.toThrow();
});
