import { setImmediate as turnEnd } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { coalesce } from './coalesce.ts';

test('requests that arrive during a batch are read together after it', async () => {
  let stored = 'before';
  const rounds: (readonly string[])[] = [];
  const gates = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  const read = coalesce(async (items: readonly string[]) => {
    const seen = stored;
    await gates[rounds.push(items) - 1]?.promise;
    return (item) => `${item} ${seen}`;
  });

  const first = read('a');
  await turnEnd();
  stored = 'after';
  const later = [read('b'), read('c'), read('b')];
  gates[0]?.resolve(null);
  expect(await first).toBe('a before');
  gates[1]?.resolve(null);

  expect(await Promise.all(later)).toEqual(['b after', 'c after', 'b after']);
  expect(rounds).toEqual([['a'], ['b', 'c', 'b']]);
});

test('what is asked in one turn of the event loop is read together', async () => {
  const rounds: (readonly string[])[] = [];
  const read = coalesce<string, string>((items) => {
    rounds.push(items);
    return Promise.resolve((item) => item);
  });

  await Promise.all([read('a'), Promise.resolve().then(() => read('b'))]);

  expect(rounds).toEqual([['a', 'b']]);
});

test('a failed batch rejects only its own callers', async () => {
  const read = coalesce<string, string>((items) =>
    items.includes('bad') ? Promise.reject(new Error('away')) : Promise.resolve((item) => item.toUpperCase()),
  );

  const bad = read('bad');
  bad.catch(() => undefined);
  await turnEnd();
  const answers = await Promise.allSettled([bad, read('b'), read('c')]);

  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(await read('d')).toBe('D');
});

test('an item whose result throws rejects its own callers only', async () => {
  const read = coalesce<string, number>(() => Promise.resolve((item) => Number(BigInt(item))));

  const answers = await Promise.allSettled([read('1'), read('none'), read('3')]);

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
