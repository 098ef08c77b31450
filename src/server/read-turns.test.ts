import { expect, test } from '@jest/globals';
import { createReadTurns } from './read-turns.ts';

test('the reads of a visitor wait for each other in their order, and for those of nobody else', async () => {
  const turnsOf = createReadTurns({ atOnce: 2, maxWaiting: 10 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (visitor: string, name: string) =>
    turnsOf(visitor)(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => void ends.set(name, resolve));
      return name;
    });
  const reads = ['first', 'second', 'third', 'fourth'].map((name) => read('one', name));
  const other = read('another', 'other');
  expect(begun).toEqual(['first', 'second', 'other']);

  ends.get('other')?.();
  expect(await other).toBe('other');
  ends.get('second')?.();
  expect(await reads[1]).toBe('second');
  expect(begun).toEqual(['first', 'second', 'other', 'third']);
  for (const name of ['first', 'third']) ends.get(name)?.();
  await reads[2];
  ends.get('fourth')?.();
  expect(await Promise.all(reads)).toEqual(['first', 'second', 'third', 'fourth']);
});

test('a visitor with too many waiting reads is refused until some of them have ended', async () => {
  const turnsOf = createReadTurns({ atOnce: 1, maxWaiting: 1 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const reads = [turnsOf('one')(() => promise), turnsOf('one')(() => promise)];
  await expect(turnsOf('one')(() => promise)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { retryAfterSeconds: 1, waitingFor: 'earlier reads' },
  });
  expect(await turnsOf('another')(() => Promise.resolve('at once'))).toBe('at once');

  resolve('read');
  expect(await Promise.all(reads)).toEqual(['read', 'read']);
  expect(await turnsOf('one')(() => promise)).toBe('read');
});
