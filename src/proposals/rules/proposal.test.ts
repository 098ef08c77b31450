import { expect, test } from '@jest/globals';
import { parseActionType, proposalTypes } from './proposal.ts';

test.each([
  ['sell_asset', 'ASSET_SALE'],
  ['buy_asset', 'BUY'],
  ['stake_asset', 'STAKE'],
  ['liquidate', 'LIQUIDATE'],
  ['Sell-Asset', 'ASSET_SALE'],
  ['SELL ASSET', 'ASSET_SALE'],
  ['asset_sale', 'ASSET_SALE'],
  ['buy', 'BUY'],
  ['Stake', 'STAKE'],
  ['sellasset', undefined],
  ['__proto__', undefined],
  ['', undefined],
])('the action type %j is read as %s', (text, type) => {
  expect(parseActionType(text)).toBe(type);
});

test('every proposal type is its own action type', () => {
  expect(proposalTypes.map(parseActionType)).toEqual(proposalTypes);
});
