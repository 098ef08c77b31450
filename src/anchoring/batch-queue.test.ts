import { expect, test } from '@jest/globals';
import { createBatchQueue, URGENT } from './batch-queue.ts';

const HOUR_MS = 3_600_000;
const every = (ms: number) => ({ minIntervalMs: ms, intervalMs: () => ms });

test('what waits while a batch runs is the next batch at once when it is worth an anchor, else only when it is flushed', async () => {
  const batches: number[][] = [];
  const running: PromiseWithResolvers<undefined>[] = [];
  const queue = createBatchQueue<number>({ ...every(100), maxSize: 60 }, (items) => {
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
  await queue.flush();
});

test('a batch that is too small for an anchor of its own waits for the interval, until enough have come', async () => {
  const sizes: number[] = [];
  const queue = createBatchQueue<number>({ ...every(HOUR_MS), maxSize: 5000 }, (items) => {
    sizes.push(items.length);
    return Promise.resolve();
  });
  queue.enqueue(0);
  while (sizes.length < 1) await new Promise(setImmediate);
  for (let item = 0; item < 2000; item += 1) queue.enqueue(item);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(sizes).toEqual([1]);

  await queue.flush();
  expect(sizes).toEqual([1, 2000]);
});

test('an item that lost its place in a batch to a held lock has the next one at once, or its deadline would pass', async () => {
  const batches: string[][] = [];
  const queue = createBatchQueue<string>({ ...every(HOUR_MS), maxSize: 5000 }, (items) => {
    batches.push([...items]);
    return Promise.resolve();
  });
  const started = async (count: number) => {
    while (batches.length < count) await new Promise(setImmediate);
  };
  queue.enqueue('first');
  await started(1);
  queue.enqueue('vote', URGENT);
  await started(2);
  queue.enqueue('next');
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(batches).toEqual([['first'], ['vote']]);
  await queue.flush();
});

test('an item that can wait no longer takes the others with it, and the next ones wait for the interval again', async () => {
  const batches: string[][] = [];
  const options = { minIntervalMs: 20, intervalMs: () => HOUR_MS, maxSize: 5000 };
  const startedAt: number[] = [];
  const queue = createBatchQueue<string>(options, (items) => {
    batches.push([...items]);
    startedAt.push(performance.now());
    return Promise.resolve();
  });
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
  };
  queue.enqueue('first');
  while (batches.length < 1) await turns(1);
  queue.enqueue('patient');
  queue.enqueue('less patient', performance.now() + HOUR_MS / 2);
  await turns(20);
  expect(batches).toEqual([['first']]);

  queue.enqueue('urgent', performance.now());
  while (batches.length < 2) await turns(1);
  queue.enqueue('next');
  await turns(20);
  expect(batches).toEqual([['first'], ['patient', 'less patient', 'urgent']]);
  // However urgent, never sooner than the shortest interval.
  queue.enqueue('urgent as well', performance.now());
  while (batches.length < 3) await turns(1);
  expect((startedAt[2] ?? 0) - (startedAt[1] ?? 0)).toBeGreaterThan(18);
  await queue.flush();
});

test('the interval is the one of the time when it ends, not of the time when it began', async () => {
  const batches: number[] = [];
  let intervalMs = 0;
  const queue = createBatchQueue<number>(
    { minIntervalMs: 5000, intervalMs: () => intervalMs, maxSize: 5000 },
    (items) => {
      intervalMs = HOUR_MS;
      batches.push(items.length);
      return Promise.resolve();
    },
  );
  queue.enqueue(1);
  while (batches.length < 1) await new Promise(setImmediate);
  queue.enqueue(2);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(batches).toEqual([1]);
  await queue.flush();
  expect(batches).toEqual([1, 1]);
});
