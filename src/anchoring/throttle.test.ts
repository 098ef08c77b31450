import { expect, test } from '@jest/globals';
import { createSpacing, createThrottle } from './throttle.ts';

test('the first request calls at once, the next ones share one call, which a flush makes now', () => {
  let calls = 0;
  const throttle = createThrottle(() => (calls += 1), 3_600_000);
  throttle.flush();
  expect(calls).toBe(0);
  throttle.request();
  expect(calls).toBe(1);
  for (let request = 0; request < 10; request += 1) throttle.request();
  expect(calls).toBe(1);
  throttle.flush();
  expect(calls).toBe(2);
  throttle.flush();
  expect(calls).toBe(2);
});

test('a request that has to wait is called without another one', async () => {
  const { promise: called, resolve } = Promise.withResolvers<undefined>();
  let calls = 0;
  const throttle = createThrottle(() => {
    calls += 1;
    if (calls === 2) resolve(undefined);
  }, 1);
  throttle.request();
  throttle.request();
  await called;
  expect(calls).toBe(2);
});

test('a request that must not come too early is called when its time has come, also when an earlier call was due', async () => {
  const calledAt: number[] = [];
  const throttle = createThrottle(() => calledAt.push(performance.now()), 20);
  const begin = performance.now();
  throttle.request();
  throttle.request();
  throttle.request(120);
  throttle.request();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(calledAt).toHaveLength(2);
  expect((calledAt[1] ?? 0) - begin).toBeGreaterThanOrEqual(120);
});

test('messages of an interval wait for its end, and the first after a pause for nothing', async () => {
  const spaced = createSpacing(3_600_000);
  expect(spaced()).toBe(0);
  for (let message = 0; message < 3; message += 1) expect(spaced()).toBeGreaterThan(3_590_000);

  const often = createSpacing(1);
  expect(often()).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(often()).toBe(0);
});
