import { expect, test } from '@jest/globals';
import { decodeMint, keyWitnessesOf } from '../../../justification/decode-transaction.ts';
import { readForeign } from './read-foreign.ts';

/** A transaction whose metadata are deeper than any reader goes. */
const deep = `84a0a0f5a100${'81'.repeat(100)}00`;

test('bytes that nobody can read say nothing and stop nothing', () => {
  expect(readForeign(deep, decodeMint)).toBeNull();
  expect(readForeign(deep, keyWitnessesOf)).toBeNull();
  expect(readForeign(null, decodeMint)).toBeNull();
  expect(readForeign('84a0a0f5f6', decodeMint)).toEqual({ ttlSlot: null, policies: [] });
});

test('other errors are not hidden', () => {
  const fail = () => {
    throw new RangeError('a defect');
  };
  expect(() => readForeign('84a0a0f5f6', fail)).toThrow('a defect');
});
