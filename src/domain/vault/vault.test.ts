import { expect, test } from '@jest/globals';
import { parseVaultType, refundReasonOf, terminationReasons } from './vault.ts';

test.each([
  ['public', 'PUBLIC'],
  ['Private', 'PRIVATE'],
  ['SEMI_PRIVATE', 'SEMI_PRIVATE'],
  ['semi-private', 'SEMI_PRIVATE'],
  ['Semi Private', 'SEMI_PRIVATE'],
])('%s is %s', (text, type) => {
  expect(parseVaultType(text)).toBe(type);
});

test.each(['', 'semiprivate', 'open', ' public'])('%p is not a vault type', (text) => {
  expect(parseVaultType(text)).toBeUndefined();
});

test('ending a settled vault returns no deposit', () => {
  expect(terminationReasons.filter((reason) => refundReasonOf(reason) === null)).toEqual([
    'programmed_end',
    'floor_price_deviation',
    'liquidated',
  ]);
  expect(refundReasonOf('settlement_deadline')).toBe('settlement_deadline');
  expect(refundReasonOf(null)).toBeNull();
});
