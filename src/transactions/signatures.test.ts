import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countSignatures, isSignedByWallets, type SignatureRule, signingKeys } from './rules.ts';

const rule: SignatureRule = {
  signer: 'wallet',
  requiredSigners: ['vault', 'buyer'],
  platformSigners: ['vault'],
  cosigners: { required: 2, keyHashes: ['a', 'b', 'c'] },
};
const count = (signed: readonly string[], of = rule) => countSignatures(of, new Set(signed));

describe('signatures of wallets', () => {
  test('k of n cosigners suffice, whichever they are', () => {
    for (const two of [
      ['a', 'b'],
      ['a', 'c'],
      ['c', 'b'],
    ])
      expect(count(['buyer', ...two])).toEqual({ required: 3, present: 3, missing: 0 });
    expect(count(['buyer', 'a'])).toEqual({ required: 3, present: 2, missing: 1 });
  });

  test('more cosigners than needed replace nobody who must sign', () => {
    expect(count(['a', 'b', 'c'])).toEqual({ required: 3, present: 2, missing: 1 });
    expect(isSignedByWallets({ ...rule, witnesses: ['a', 'b', 'c'].map((keyHash) => ({ keyHash })) })).toBe(false);
  });

  test('keys of the platform and of strangers count for nothing', () => {
    expect(count(['vault', 'stranger', 'buyer', 'a'])).toEqual({ required: 3, present: 2, missing: 1 });
    const withPlatform = { ...rule, cosigners: { required: 2, keyHashes: ['a', 'vault', 'b'] } };
    expect(count(['vault', 'buyer', 'a'], withPlatform).missing).toBe(1);
  });

  test('a key that is named twice counts once', () => {
    const twice = { ...rule, cosigners: { required: 2, keyHashes: ['a', 'a', 'b'] } };
    expect(count(['buyer', 'a'], twice)).toEqual({ required: 3, present: 2, missing: 1 });
    expect(
      signingKeys(twice)
        .map(({ keyHash }) => keyHash)
        .toSorted(),
    ).toEqual(['a', 'b', 'buyer', 'vault']);
  });

  test('a transaction of the platform needs none', () => {
    const own = { signer: 'platform', requiredSigners: ['x'], platformSigners: [], cosigners: null } as const;
    expect(count([], own)).toEqual({ required: 0, present: 0, missing: 0 });
    expect(signingKeys(own)).toEqual([{ keyHash: 'x', isPlatform: true, isRequired: true }]);
  });

  test('are complete exactly when everyone who must and k of the cosigners have signed', () => {
    const keys = ['vault', 'buyer', 'a', 'b', 'c', 'd', 'stranger'];
    fc.assert(
      fc.property(
        fc.subarray(keys),
        fc.subarray(['a', 'b', 'c', 'd'], { minLength: 1 }),
        fc.nat(),
        (signed, named, n) => {
          const required = n % (named.length + 1);
          const { missing } = count(signed, { ...rule, cosigners: { required, keyHashes: named } });
          const has = (key: string) => signed.includes(key);
          expect(missing === 0).toBe(has('buyer') && named.filter(has).length >= required);
        },
      ),
    );
  });
});
