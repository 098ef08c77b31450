import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { mayExecuteAgain } from './repeated-execution.ts';

const end = instant(1000);

test.each([
  [1, 999, true],
  [3, 999, true],
  [4, 999, false],
  [1, 1000, false],
])(
  'after %i failures at %i a proposal whose execution phase ends at 1000 may be executed again: %p',
  (failures, now, may) => {
    expect(mayExecuteAgain({ failures, executionEndsAt: end }, instant(now))).toBe(may);
  },
);
