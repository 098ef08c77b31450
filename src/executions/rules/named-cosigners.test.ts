import { describe, expect, test } from '@jest/globals';
import { baseUnits, basisPoints } from '../../platform/units/money.ts';
import {
  type CosigningRules,
  mayCosign,
  cosignersMissing,
  cosignersToSign,
  requireCosigners,
  requireEligible,
  requireNoPlatformKey,
  signaturesMissing,
} from './cosigners.ts';

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
              message: 'Name at least 2 eligible cosigners. You named 1.',
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

describe('k of n named cosigners', () => {
  const sign = (requested: number | undefined, named: number) => cosignersToSign(rules, { requested, named });
  const refused = expect.objectContaining({
    code: 'INVALID_REQUEST',
    details: { errors: [expect.objectContaining({ field: 'required_cosigners' })] },
  });

  test('sign: as many as the proposal requires, or more if whoever freezes it asks for more', () => {
    expect([sign(undefined, 3), sign(2, 3), sign(3, 3)]).toEqual([2, 2, 3]);
  });

  test('can be neither fewer than the proposal requires nor more than are named', () => {
    expect(() => sign(1, 3)).toThrow(refused);
    expect(() => sign(4, 3)).toThrow(refused);
  });

  test('count while enough of them may still cosign', () => {
    const [a, b, left] = [cosigner('a', 10n), cosigner('b', 10n), cosigner('c', 0n)];
    expect(requireEligible([a, left, b], rules, 2)).toEqual([a, b]);
    expect(() => requireEligible([a, left, b], rules, 3)).toThrow(
      expect.objectContaining({
        code: 'COSIGNER_NOT_ELIGIBLE',
        details: expect.objectContaining({
          wallets: ['wallet-c'],
          errors: [expect.objectContaining({ field: 'cosigners.1' })],
        }),
      }),
    );
  });

  test('are no keys of the platform, which signs every execution', () => {
    const [a, platform] = [cosigner('a', 10n), cosigner('p', 900n)];
    expect(() => {
      requireNoPlatformKey([a], ['p', 'vault']);
    }).not.toThrow();
    expect(() => {
      requireNoPlatformKey([a, platform], ['p', 'vault']);
    }).toThrow(
      expect.objectContaining({
        code: 'COSIGNER_NOT_ELIGIBLE',
        details: expect.objectContaining({ wallets: ['wallet-p'], required: 'a key of a wallet' }),
      }),
    );
  });
});
