import { expect, test } from '@jest/globals';
import { refundReasonOf, terminationReasons } from './vault.ts';

test('ending a settled vault returns no deposit', () => {
  expect(terminationReasons.filter((reason) => refundReasonOf(reason) === null)).toEqual([
    'programmed_end',
    'floor_price_deviation',
    'liquidated',
  ]);
  expect(refundReasonOf('settlement_deadline')).toBe('settlement_deadline');
  expect(refundReasonOf(null)).toBeNull();
});
