import { expect, jest, test } from '@jest/globals';
import { type Instant, instant } from '../units/time.ts';
import type { MeasuredRequest } from './metrics.ts';
import { recordVersionUsage, type VersionUsage } from './version-usage.ts';

const request = (more: Partial<MeasuredRequest> = {}): MeasuredRequest => ({
  method: 'GET',
  route: '/x',
  status: 200,
  seconds: 0.01,
  version: 'v1.0.0',
  apiKeyId: 'one',
  ...more,
});

test('usage that could not be saved is saved later, once, together with what came meanwhile', async () => {
  let now: Instant = instant(86_400_000 - 1);
  const saved: VersionUsage[][] = [];
  const errors: unknown[] = [];
  let isDown = true;
  const usage = recordVersionUsage({
    clock: { now: () => now },
    save: (batch) => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(void saved.push([...batch]))),
    onError: (error) => void errors.push(error),
  });
  usage.record(request());
  usage.record(request({ version: null }));
  await usage.save();
  expect(errors).toHaveLength(1);
  usage.record(request({ status: 404, apiKeyId: 'two' }));
  usage.record(request({ status: null, apiKeyId: null }));
  now = instant(86_400_000);
  usage.record(request());
  isDown = false;
  await usage.close();

  expect(saved).toEqual([
    [
      { version: 'v1.0.0', day: 0, requests: 3, errors: 2, durationMs: 30, clients: new Set(['one', 'two']) },
      { version: 'v1.0.0', day: 86_400_000, requests: 1, errors: 0, durationMs: 10, clients: new Set(['one']) },
    ],
  ]);
});

test('requests after ten seconds without one are saved, again and again', async () => {
  jest.useFakeTimers();
  try {
    const saved: number[] = [];
    const usage = recordVersionUsage({
      clock: { now: () => instant(0) },
      save: (batch) => Promise.resolve(void saved.push(...batch.map(({ requests }) => requests))),
      onError: (error) => {
        throw error;
      },
    });
    for (const _round of [1, 2]) {
      await jest.advanceTimersByTimeAsync(10_000);
      usage.record(request());
      await jest.advanceTimersByTimeAsync(10_000);
    }
    await usage.close();
    expect(saved).toEqual([1, 1]);
  } finally {
    jest.useRealTimers();
  }
});
