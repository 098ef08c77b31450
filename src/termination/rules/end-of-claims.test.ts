import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { type ClaimsSnapshot, endOfClaims } from './pot.ts';

const deadline = instant(2_000);
const potOf = (pot: bigint, circulating: bigint) => ({ lovelace: lovelace(pot), circulating: baseUnits(circulating) });
const snapshot = (changes: Partial<ClaimsSnapshot>): ClaimsSnapshot => ({
  claimDeadline: deadline,
  pot: potOf(900n, 100n),
  hasAssets: false,
  namesAssetRecipient: false,
  ...changes,
});
const emptyPot = potOf(0n, 100n);
const allReturned = potOf(0n, 0n);

test.each([
  ['before the deadline', {}, null],
  ['with assets to sell and an empty pot, when nobody is named', { pot: emptyPot, hasAssets: true }, null],
  [
    'with assets to sell and an empty pot, when a wallet is named',
    { pot: emptyPot, hasAssets: true, namesAssetRecipient: true },
    null,
  ],
  ['with an empty pot and no assets', { pot: emptyPot }, 'nothing_left'],
  ['when all tokens are returned', { pot: allReturned }, 'nothing_left'],
  [
    'when all are returned, and a wallet is named for the assets',
    { pot: allReturned, hasAssets: true, namesAssetRecipient: true },
    'nothing_left',
  ],
  ['when all are returned, and nobody is named for the assets', { pot: allReturned, hasAssets: true }, null],
] as const)('the claims are over or not %s', (_when, changes, end) => {
  expect(endOfClaims(snapshot(changes), instant(1_999))).toBe(end);
  expect(endOfClaims(snapshot(changes), deadline)).toBe('claim_deadline');
});
