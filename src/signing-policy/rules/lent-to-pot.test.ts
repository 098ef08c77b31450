import { expect, test } from '@jest/globals';
import { lentToPot } from './termination.ts';

test('of a pot the operator takes back no more than twice what the outputs of its gatherings needed', () => {
  const minAda = { ofToken: 1_700_000n, ofAny: 0n };
  expect(lentToPot({ minAda }, { float: 9_000_000_000n, pots: 2 })).toBe(4n * minAda.ofToken);
  expect(lentToPot({ minAda }, { float: 5n, pots: 2 })).toBe(5n);
});
