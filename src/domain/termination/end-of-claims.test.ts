import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { baseUnits, lovelace } from '../units/money.ts';
import { type ClaimsSnapshot, endOfClaims, expectedEnd } from './end-of-claims.ts';

const deadline = instant(2_000);
const muchLater = instant(2_000_000);
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

test.each([
  ['with a pot', {}],
  ['with an empty pot', { pot: emptyPot }],
])(
  'assets for which nobody is named stay for a sale after the deadline while tokens circulate, %s',
  (_which, changes) => {
    const held = snapshot({ ...changes, hasAssets: true });
    for (const now of [instant(1_999), deadline, muchLater]) expect(endOfClaims(held, now)).toBeNull();
    expect(endOfClaims({ ...held, hasAssets: false }, deadline)).toBe('claim_deadline');
    expect(endOfClaims({ ...held, pot: allReturned }, deadline)).toBe('claim_deadline');
  },
);

test('time is not expected to end claims whose deadline has passed while nobody is named for the assets', () => {
  const named = { claimDeadline: deadline, remainingAssetsTo: 'a wallet' };
  const unnamed = { ...named, remainingAssetsTo: null };
  for (const vault of [named, unnamed]) expect(expectedEnd(vault, instant(1_999))).toBe(deadline);
  expect([named, unnamed].map((vault) => expectedEnd(vault, deadline))).toEqual([deadline, null]);
  expect(expectedEnd({ ...unnamed, claimDeadline: null }, deadline)).toBeNull();
});
