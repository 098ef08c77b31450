import { expect, test } from '@jest/globals';
import { conflictingProposals } from './proposal.ts';

test('who gets an asset depends on the earlier proposals over it, and on those that these depend on', () => {
  const over = (...assetIds: string[]) => ({ assetIds });
  const earlier = [over('1'), over('9'), over('1', '2'), over('3'), over('2', '4')];
  const conflicting = (...assetIds: string[]) =>
    conflictingProposals(assetIds, earlier).map((one) => earlier.findIndex((other) => other === one));
  expect(conflicting('4')).toEqual([0, 2, 4]);
  expect(conflicting('3', '9')).toEqual([1, 3]);
  // The one over 1 and 2 ended before the one over 2 and 4, so it does not depend on that.
  expect(conflicting('1')).toEqual([0, 2]);
  expect(conflicting('5')).toEqual([]);
});
