import { describe, expect, test } from '@jest/globals';
import {
  cosignersAfterVote,
  cosignersMissing,
  type CosigningRules,
  mayCosign,
  requireCosigners,
  requiredCosigners,
  signaturesMissing,
} from './eligible-cosigners.ts';
import { baseUnits, basisPoints } from '../units/money.ts';
import { signatureProgress, requireSignatures } from './required-signatures.ts';

const cosigner = (keyHash: string, power: bigint, wallet = `wallet-${keyHash}`) => ({
  wallet,
  keyHash,
  power: baseUnits(power),
});
const rules: CosigningRules = { required: 2, registered: [], threshold: basisPoints(100n), supply: baseUnits(1_000n) };

describe('cosigners', () => {
  test('need the full cosigning share of the supply', () => {
    const named = [cosigner('a', 10n), cosigner('b', 11n)];
    expect(named.every((one) => mayCosign(one, rules))).toBe(true);
    expect(requireCosigners(named, rules, signaturesMissing)).toEqual(named);
    expect(() => requireCosigners([...named, cosigner('c', 9n)], rules, signaturesMissing)).toThrow(
      expect.objectContaining({
        code: 'COSIGNER_NOT_ELIGIBLE',
        details: {
          wallets: ['wallet-c'],
          required: '1.00 % of the supply, staked and final',
          errors: [expect.objectContaining({ field: 'cosigners.2' })],
        },
      }),
    );
  });

  test('need some power even if the threshold is zero', () => {
    const anyShare = { ...rules, threshold: basisPoints(0n) };
    expect(() => requireCosigners([cosigner('a', 0n)], anyShare, signaturesMissing)).toThrow(
      expect.objectContaining({ code: 'COSIGNER_NOT_ELIGIBLE' }),
    );
  });

  test('are only the registered ones if any are registered, whatever their stake', () => {
    const registered = { ...rules, required: 1, registered: ['a'] };
    expect(requireCosigners([cosigner('a', 0n)], registered, signaturesMissing)).toHaveLength(1);
    expect(() => requireCosigners([cosigner('b', 999n)], registered, signaturesMissing)).toThrow(
      expect.objectContaining({ code: 'COSIGNER_NOT_ELIGIBLE' }),
    );
  });

  test('are counted by key, so two addresses of one key are one signer', () => {
    const twice = [cosigner('a', 10n), cosigner('a', 10n, 'another address')];
    expect(() => requireCosigners(twice, rules, signaturesMissing)).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_SIGNATURES',
        details: {
          required: 2,
          present: 1,
          missing: 1,
          missingSigners: [],
          errors: [
            {
              code: 'INSUFFICIENT_SIGNATURES',
              message: 'Name at least 2 eligible cosigners; 1 are named',
              field: 'cosigners',
            },
          ],
        },
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

test('an execution waits for all named signers and lists the missing ones', () => {
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
