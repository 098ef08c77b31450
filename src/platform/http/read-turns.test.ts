import { expect, test } from '@jest/globals';
import { createBookTurns, createReadTurns } from './read-turns.ts';

/** A visitor at an IP address of their own. */
const at = (name: string, ip = name) => ({ name, ip });

test('the reads of a visitor wait for each other in their order, and for those of nobody else', async () => {
  const turnsOf = createReadTurns({ ofVisitor: 2, maxWaiting: 10 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (visitor: string, name: string) =>
    turnsOf(at(visitor))(async () => {
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
  const turnsOf = createReadTurns({ ofVisitor: 1, maxWaiting: 1 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const reads = [turnsOf(at('one'))(() => promise), turnsOf(at('one'))(() => promise)];
  await expect(turnsOf(at('one'))(() => promise)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { retryAfterSeconds: 1, waitingFor: 'earlier reads' },
  });
  expect(await turnsOf(at('another'))(() => Promise.resolve('at once'))).toBe('at once');

  resolve('read');
  expect(await Promise.all(reads)).toEqual(['read', 'read']);
  expect(await turnsOf(at('one'))(() => promise)).toBe('read');
});

test('many visitors of one address leave turns to those of others', async () => {
  const turnsOf = createReadTurns({ ofVisitor: 2, ofAddress: 3 });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const begun: string[] = [];
  const read = (visitor: string, ip: string) =>
    turnsOf(at(visitor, ip))(() => {
      begun.push(visitor);
      return promise;
    });
  const reads = ['one', 'one', 'two', 'two', 'three'].map((wallet) => read(wallet, 'shared'));
  reads.push(read('four', 'own'));
  expect(begun).toEqual(['one', 'one', 'two', 'four']);

  resolve(undefined);
  await Promise.all(reads);
  expect(begun).toEqual(['one', 'one', 'two', 'four', 'two', 'three']);
});

test('a visitor has one running read of books and five that wait; a failed one gives its turn to the next', async () => {
  const turnsOf = createBookTurns();
  const ends: ((failure?: Error) => void)[] = [];
  const read = (visitor: string) =>
    turnsOf(at(visitor))(
      () =>
        new Promise<void>((resolve, reject) => {
          ends.push((failure) => {
            if (failure) reject(failure);
            else resolve();
          });
        }),
    );
  const failing = read('busy');
  const waiting = Array.from({ length: 5 }, () => read('busy'));
  await expect(read('busy')).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { retryAfterSeconds: 1, waitingFor: 'earlier reads of books' },
  });
  const other = read('other');
  expect(ends).toHaveLength(2);
  ends.shift()?.(new Error('it takes too long'));
  await expect(failing).rejects.toThrow('it takes too long');
  const reads = [other, ...waiting, read('busy')];
  const timer = setInterval(() => ends.shift()?.(), 1);
  expect(await Promise.allSettled(reads)).toEqual(reads.map(() => ({ status: 'fulfilled', value: undefined })));
  clearInterval(timer);
});
