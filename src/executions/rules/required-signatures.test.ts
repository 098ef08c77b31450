import { expect, test } from '@jest/globals';
import { cosignersBesidePartner, missingSigners, signersOf } from './cosigners.ts';

const signer = (keyHash: string) => ({ wallet: `wallet-${keyHash}`, keyHash });
const [a, b, c, buyer] = [signer('a'), signer('b'), signer('c'), signer('buyer')];
const cosigners = [a, b, c];

test('a buyer who cosigns is one of those who have to, and signs once', () => {
  expect(cosignersBesidePartner({ cosigners, partner: buyer }, 2)).toEqual({ required: 2, keyHashes: ['a', 'b', 'c'] });
  expect(cosignersBesidePartner({ cosigners, partner: b }, 2)).toEqual({ required: 1, keyHashes: ['a', 'c'] });
  expect(cosignersBesidePartner({ cosigners, partner: b }, 0)).toEqual({ required: 0, keyHashes: ['a', 'c'] });
  expect(signersOf({ cosigners, partner: b })).toEqual(cosigners);
});

test('those who can still sign are missing, but no cosigner once enough have signed', () => {
  const missing = (signed: readonly string[]) => missingSigners({ cosigners, partner: buyer }, 2, new Set(signed));
  expect(missing(['a'])).toEqual(['wallet-b', 'wallet-c', 'wallet-buyer']);
  expect(missing(['a', 'c'])).toEqual(['wallet-buyer']);
  expect(missing(['a', 'buyer'])).toEqual(['wallet-b', 'wallet-c']);
  expect(missing(['a', 'c', 'buyer'])).toEqual([]);
});
