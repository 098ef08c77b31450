import { expect, test } from '@jest/globals';
import { createThrottle } from './throttle.ts';

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
