import { expect, test } from '@jest/globals';
import { decodeMint, keyWitnessesOf, readUntrusted } from './decoder.ts';

/** A transaction whose metadata are deeper than any reader goes. */
const deep = `84a0a0f5a100${'81'.repeat(100)}00`;

test('bytes that nobody can read say nothing and stop nothing', () => {
  expect(readUntrusted(deep, decodeMint)).toBeNull();
  expect(readUntrusted(deep, keyWitnessesOf)).toBeNull();
  expect(readUntrusted(null, decodeMint)).toBeNull();
  expect(readUntrusted('84a0a0f5f6', decodeMint)).toEqual({ ttlSlot: null, policies: [] });
});

test('other errors are not hidden', () => {
  const fail = () => {
    throw new RangeError('a defect');
  };
  expect(() => readUntrusted('84a0a0f5f6', fail)).toThrow('a defect');
});
