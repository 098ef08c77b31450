import { expect, test } from '@jest/globals';
import { requireNumbers } from './require-numbers.ts';

const reading = (options: Record<string, string | undefined>) => () => {
  requireNumbers(options);
};

test('an option that is no number is refused by its name', () => {
  for (const cases of ['x', '', '-1', '1e', '10,000'])
    expect(reading({ cases, seed: undefined })).toThrow('--cases: must be a number');
  expect(reading({ cases: '10000', minutes: '0.5', seed: undefined })).not.toThrow();
});
