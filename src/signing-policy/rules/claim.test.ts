import { expect, test } from '@jest/globals';
import { claim } from '../../../test/signing-policy/governance-samples.ts';
import { isWithinShare } from './termination.ts';

test('no claim is paid when no token is in circulation by what rows call the token of the vault', () => {
  const { evidence } = claim;
  expect(isWithinShare(evidence)).toBe(true);
  // A reference token, of which there is one, in the pot.
  const pot = { ...evidence.pot, redeemed: 1n };
  expect(isWithinShare({ ...evidence, amount: 0n, pot, supply: 1n })).toBe(false);
});
