import { expect, test } from '@jest/globals';
import { longUnit, utxo, vault } from '../../test/chain/sample-context.ts';
import { instant } from '../platform/units/time.ts';
import { baseUnits, lovelace } from '../platform/units/money.ts';
import { heldAmong, isPotOwed } from './prepare-transactions.ts';

const assetOf = (number: number, quantity: bigint) => {
  return { policyId: longUnit(number).slice(0, 56), assetName: longUnit(number).slice(56), quantity };
};

test('an asset that custody does not hold is left out, and all others are handed over', () => {
  const outputs = [utxo(vault.custodyAddress, 2_000_000n, [[longUnit(2), 1n]]), utxo(vault.custodyAddress, 2_000_000n)];
  const [gone, here] = [assetOf(1, 1n), assetOf(2, 1n)];
  expect(heldAmong([gone, here], outputs)).toEqual([here]);
});

test('of the same token as many rows are handed over as custody holds units', () => {
  const outputs = [6n, 4n].map((quantity) => utxo(vault.custodyAddress, 2_000_000n, [[longUnit(3), quantity]]));
  const rows = [assetOf(3, 7n), assetOf(3, 4n), assetOf(3, 3n)];
  expect(heldAmong(rows, outputs)).toEqual([rows[0], rows[2]]);
});

test('the pot takes the ADA of handed assets while somebody holds tokens, or a wallet is named for what is left', () => {
  const pot = { lovelace: lovelace(0n), circulating: baseUnits(0n) };
  const ended = { claimsOpenedAt: instant(1_000), pot, unclaimedLovelaceTo: null };
  expect(isPotOwed(ended)).toBe(false);
  expect(isPotOwed({ ...ended, pot: { ...pot, circulating: baseUnits(1n) } })).toBe(true);
  expect(isPotOwed({ ...ended, unclaimedLovelaceTo: 'addr_test1' })).toBe(true);
  // Who holds tokens is counted when the claims open.
  expect(isPotOwed({ ...ended, claimsOpenedAt: null })).toBe(true);
});
