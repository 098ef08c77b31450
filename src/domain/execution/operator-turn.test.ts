import { expect, test } from '@jest/globals';
import { mayHoldOperatorOutput } from './operator-turn.ts';

test.each([
  [2, 24, true],
  [3, 3, false],
  [0, 25, false],
])('with %i of its vault and %i in all, one more may hold an output of the operator: %s', (ofVault, all, may) => {
  expect(mayHoldOperatorOutput({ ofVault, all })).toBe(may);
});
