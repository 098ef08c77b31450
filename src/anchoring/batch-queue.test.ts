import { expect, test } from '@jest/globals';
import { createBatchQueue } from './batch-queue.ts';

const HOUR_MS = 3_600_000;

test('what waits while a batch runs is the next batch at once when it is worth an anchor, else only when it is flushed', async () => {
  const batches: number[][] = [];
  const running: PromiseWithResolvers<undefined>[] = [];
  const queue = createBatchQueue<number>({ minIntervalMs: 100, maxSize: 60 }, (items) => {
    batches.push([...items]);
    const run = Promise.withResolvers<undefined>();
    running.push(run);
    return run.promise;
  });
  const add = (count: number) => {
    for (let item = 0; item < count; item += 1) queue.enqueue(item);
  };
  const started = async (count: number) => {
    while (batches.length < count) await new Promise(setImmediate);
    return batches.map(({ length }) => length);
  };

  add(1);
  await started(1);
  add(70);
  running[0]?.resolve(undefined);
  expect(await started(2)).toEqual([1, 60]);

  add(30);
  running[1]?.resolve(undefined);
  expect(await started(3)).toEqual([1, 60, 40]);
  running[2]?.resolve(undefined);
  await queue.flushNow();
});

test('a batch that is too small for an anchor of its own waits for the interval, until enough have come', async () => {
  const sizes: number[] = [];
  const queue = createBatchQueue<number>({ minIntervalMs: HOUR_MS, maxSize: 5000 }, (items) => {
    sizes.push(items.length);
    return Promise.resolve();
  });
  queue.enqueue(0);
  while (sizes.length < 1) await new Promise(setImmediate);
  for (let item = 0; item < 2000; item += 1) queue.enqueue(item);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(sizes).toEqual([1]);

  await queue.flushNow();
  expect(sizes).toEqual([1, 2000]);
});
