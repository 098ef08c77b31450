import { expect, test } from '@jest/globals';
import { cosignerAgreement, isAgreed } from './cosigner-agreement.ts';

test('an agreement names the vault, the number and all keys, whatever their order', () => {
  const keyHashes = ['bb', 'aa'];
  expect(cosignerAgreement('v', { required: 1, keyHashes })).toBe('Cosign for vault v: 1 of aa, bb');
  expect(cosignerAgreement('v', { required: 1, keyHashes: keyHashes.toReversed() })).toBe(
    cosignerAgreement('v', { required: 1, keyHashes }),
  );
});

test('as many present cosigners agree as have to sign, each counted once', () => {
  const present = { required: 2, keyHashes: ['aa', 'bb', 'cc'] };
  expect(isAgreed(present, ['aa', 'cc', 'new'])).toBe(true);
  expect(isAgreed(present, ['aa', 'aa', 'new'])).toBe(false);
  expect(isAgreed(null, [])).toBe(true);
});
