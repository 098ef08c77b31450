import { expect, test } from '@jest/globals';
import { createEarlyQuestions } from './early-questions.ts';

test('requests that are refused never ask in vain more often than others have asked with reason', () => {
  const questions = createEarlyQuestions();
  const refused = () => Array.from({ length: 100 }, () => questions.begin()).filter(Boolean).length;
  expect(refused()).toBe(0);
  for (let right = 0; right < 7; right += 1) questions.wasRight(questions.begin());
  expect(refused()).toBe(7);
  expect(refused()).toBe(0);
});

test('however many asked with reason, twenty in a row ask in vain at most', () => {
  const questions = createEarlyQuestions();
  for (let right = 0; right < 1_000; right += 1) questions.wasRight(questions.begin());
  expect(Array.from({ length: 100 }, () => questions.begin()).filter(Boolean)).toHaveLength(20);
});
