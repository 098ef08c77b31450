import { expect, test } from '@jest/globals';
import { anonymous } from '../domain/identity/caller.ts';
import type { Db } from '../store/database.ts';
import { createBookReads } from './book-reads.ts';

test('a caller has one running read of books and five that wait; reads of others run meanwhile', async () => {
  const readBooks = createBookReads(null as unknown as Db);
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const read = (wallet: string, outcome: () => unknown = () => wallet) =>
    readBooks({ ...anonymous, wallet }, async () => {
      running.push(wallet);
      await new Promise<void>((resolve) => ends.push(resolve));
      return outcome();
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const fails = () => {
    throw new Error('it takes too long');
  };
  const failing = read('busy', fails);
  const waiting = Array.from({ length: 5 }, () => read('busy'));
  await expect(read('busy')).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { retryAfterSeconds: 1, waitingFor: 'earlier reads of books' },
  });
  const other = read('other');
  await settle();
  expect(running).toEqual(['busy', 'other']);
  ends.shift()?.();
  await expect(failing).rejects.toThrow('it takes too long');
  await settle();
  expect(running).toEqual(['busy', 'other', 'busy']);
  const more = read('busy');
  while (ends.length > 0) {
    ends.shift()?.();
    await settle();
  }
  expect(await Promise.all([...waiting, more, other])).toEqual([...Array<string>(6).fill('busy'), 'other']);
});
