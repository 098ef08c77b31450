import { expect, test } from '@jest/globals';
import { cosignerAgreement, isAgreed } from './rules.ts';

test('an agreement names the vault, its custody, which rotation it is, the number and all keys, whatever their order', () => {
  const change = { vaultId: 'v', contractAddress: 'addr1', rotations: 2 };
  const textFor = (keyHashes: readonly string[]) =>
    cosignerAgreement({ ...change, cosigners: { required: 1, keyHashes } });
  expect(textFor(['bb', 'aa'])).toBe('Cosign for vault v: 1 of aa, bb, instead of addr1 after 2 rotations');
  expect(textFor(['aa', 'bb'])).toBe(textFor(['bb', 'aa']));
});

test('as many present cosigners agree as have to sign, each counted once', () => {
  const present = { required: 2, keyHashes: ['aa', 'bb', 'cc'] };
  expect(isAgreed(present, ['aa', 'cc', 'new'])).toBe(true);
  expect(isAgreed(present, ['aa', 'aa', 'new'])).toBe(false);
  expect(isAgreed(null, [])).toBe(true);
});
