import { setImmediate as begin } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createConcurrencyLimits, limitReads } from './concurrency.ts';

/** A client at an IP address of their own. */
const at = (name: string, ip = name) => ({ name, ip });

test('the reads of a client wait for each other in their order, and for those of nobody else', async () => {
  const limitOf = limitReads({ perClient: 2, maxQueued: 10 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (client: string, name: string) =>
    limitOf(at(client))(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => void ends.set(name, resolve));
      return name;
    });
  const reads = ['first', 'second', 'third', 'fourth'].map((name) => read('one', name));
  const other = read('another', 'other');
  await begin();
  expect(begun).toEqual(['first', 'second', 'other']);

  ends.get('other')?.();
  expect(await other).toBe('other');
  ends.get('second')?.();
  expect(await reads[1]).toBe('second');
  await begin();
  expect(begun).toEqual(['first', 'second', 'other', 'third']);
  for (const name of ['first', 'third']) ends.get(name)?.();
  await reads[2];
  ends.get('fourth')?.();
  expect(await Promise.all(reads)).toEqual(['first', 'second', 'third', 'fourth']);
});

test('a client with too many waiting reads is refused until some of them have ended', async () => {
  const limitOf = limitReads({ perClient: 1, maxQueued: 1 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const reads = [limitOf(at('one'))(() => promise), limitOf(at('one'))(() => promise)];
  await expect(limitOf(at('one'))(() => promise)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { retryAfterSeconds: 1, waitingFor: 'earlier reads' },
  });
  expect(await limitOf(at('another'))(() => Promise.resolve('at once'))).toBe('at once');

  resolve('read');
  expect(await Promise.all(reads)).toEqual(['read', 'read']);
  expect(await limitOf(at('one'))(() => promise)).toBe('read');
});

test('many clients of one address leave room to those of others', async () => {
  const limitOf = limitReads({ perClient: 2, perAddress: 3 });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const begun: string[] = [];
  const read = (client: string, ip: string) =>
    limitOf(at(client, ip))(() => {
      begun.push(client);
      return promise;
    });
  const reads = ['one', 'one', 'two', 'two', 'three'].map((wallet) => read(wallet, 'shared'));
  reads.push(read('four', 'own'));
  await begin();
  expect(begun).toEqual(['one', 'one', 'two', 'four']);

  resolve(undefined);
  await Promise.all(reads);
  expect(begun).toEqual(['one', 'one', 'two', 'four', 'two', 'three']);
});

test('a client has one running read of books and five that wait; a failed one lets the next begin', async () => {
  const limitOf = createConcurrencyLimits().reports;
  const ends: ((failure?: Error) => void)[] = [];
  const read = (client: string) =>
    limitOf(at(client))(
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
    details: { retryAfterSeconds: 1, waitingFor: 'earlier requests for statements' },
  });
  const other = read('other');
  await begin();
  expect(ends).toHaveLength(2);
  ends.shift()?.(new Error('it takes too long'));
  await expect(failing).rejects.toThrow('it takes too long');
  const reads = [other, ...waiting, read('busy')];
  const timer = setInterval(() => ends.shift()?.(), 1);
  expect(await Promise.allSettled(reads)).toEqual(reads.map(() => ({ status: 'fulfilled', value: undefined })));
  clearInterval(timer);
});
