import { expect, test } from '@jest/globals';
import { batchLoader } from './batch-loader.ts';

test('keys that callers need in one turn of the event loop are loaded together, each once', async () => {
  const batches: (readonly string[])[] = [];
  const load = batchLoader((keys) => {
    batches.push(keys);
    return Promise.resolve(new Map(keys.map((key) => [key, key.toUpperCase()])));
  });

  const loaded = [load('a'), Promise.resolve().then(() => load('b')), load('a')];

  expect(await Promise.all(loaded)).toEqual(['A', 'B', 'A']);
  expect(batches).toEqual([['a', 'b']]);
});

test('a caller never gets what was read before it asked', async () => {
  let stored = 'before';
  const began = Promise.withResolvers<null>();
  const gate = Promise.withResolvers<null>();
  const load = batchLoader(async (keys) => {
    const seen = stored;
    began.resolve(null);
    await gate.promise;
    return new Map(keys.map((key) => [key, seen]));
  });

  const first = load('a');
  await began.promise;
  stored = 'after';
  const later = load('a');
  gate.resolve(null);

  expect([await first, await later]).toEqual(['before', 'after']);
});

test('a batch that fails rejects only its own callers', async () => {
  const load = batchLoader((keys) =>
    keys.includes('bad') ? Promise.reject(new Error('away')) : Promise.resolve(new Map([['good', 1]])),
  );

  await expect(load('bad')).rejects.toThrow('away');

  expect([await load('good'), await load('unknown')]).toEqual([1, null]);
});

test('a value that cannot be read rejects only its own callers', async () => {
  const load = batchLoader(() =>
    Promise.resolve(
      new Map<string, number | Error>([
        ['1', 1],
        ['2', new Error('damaged')],
      ]),
    ),
  );

  const loaded = await Promise.allSettled([load('1'), load('2')]);

  expect(loaded.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});
